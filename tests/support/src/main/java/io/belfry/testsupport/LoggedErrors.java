package io.belfry.testsupport;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import org.slf4j.LoggerFactory;

/**
 * Records in {@link RecordedFaults} the errors by which the code under test reports an exception that it did not expect. Such an
 * exception ends one session or one task, so a test may pass in spite of it. Any thread may log.
 */
final class LoggedErrors {
    /** The beginning of these messages. */
    private static final String UNEXPECTED = "unexpected exception";

    private static final String NAME = "faults";

    private LoggedErrors() {}

    /** Attaches the recorder, unless the module has no logback or the recorder is attached. */
    static void install() {
        if (isLogbackPresent()) {
            Recorder.attach();
        }
    }

    private static boolean isLogbackPresent() {
        try {
            Class.forName("ch.qos.logback.classic.LoggerContext");
            return true;
        } catch (ClassNotFoundException absent) {
            return false;
        }
    }

    /** A class of its own, because it cannot be loaded in modules without logback. */
    private static final class Recorder extends AppenderBase<ILoggingEvent> {
        private Recorder(LoggerContext context) {
            setContext(context);
            setName(NAME);
            start();
        }

        static void attach() {
            if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
                Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
                if (root.getAppender(NAME) == null) {
                    root.addAppender(new Recorder(context));
                }
            }
        }

        @Override
        protected void append(ILoggingEvent event) {
            if (event.getLevel() == Level.ERROR && event.getMessage().startsWith(UNEXPECTED)) {
                String trace = event.getThrowableProxy() == null
                        ? ""
                        : "\n" + ThrowableProxyUtil.asString(event.getThrowableProxy());
                RecordedFaults.logged(event.getFormattedMessage() + trace);
            }
        }
    }
}
