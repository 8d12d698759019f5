package io.belfry.server.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.Duration;
import ch.qos.logback.core.util.FileSize;
import io.belfry.server.config.LogConfig;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.LoggerFactory;

/**
 * The process's logging: a file in LogFolder that is rotated by size, and the console for a person or a service
 * manager. Written synchronously, because nothing on the hot path logs, and a line that explains a crash must be
 * written before it. Owner: the thread that runs the server; any thread may change the level.
 */
public final class LogSetup implements Closeable {
    /** Control characters and Unicode line ends, written literally because Logback's patterns have escapes of their own. */
    private static final String CONTROLS = "[\u0000-\u001f\u007f-\u009f\u2028\u2029]+";

    /** Line ends in a stack trace that are not followed by a line of the stack trace. */
    private static final String STRAY_LINE_ENDS =
            "[\r\n]++(?!$|\tat |\t[.][.][.] |\t*Caused by: |\t*Suppressed: |Wrapped by: )";

    /**
     * The line pattern. Text from clients must neither forge a line of the log nor control the reader's terminal, so control
     * characters in a message become spaces. The stack trace of an exception keeps its own line ends.
     */
    private static final String PATTERN = "%d{\"yyyy-MM-dd'T'HH:mm:ss.SSSXXX\"} %-5level [%thread] %logger{0}: "
            + "%replace(%msg){'" + CONTROLS + "', ' '}%n%replace(%ex){'" + STRAY_LINE_ENDS + "', ' '}";

    private final LoggerContext context;

    private LogSetup(LoggerContext context) {
        this.context = context;
    }

    /** Replaces the present logging; the name is that of the server. */
    public static LogSetup open(LogConfig config, String name, boolean console) throws IOException {
        Files.createDirectories(config.folder());
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        LogSetup setup = new LogSetup(context);
        Logger root = setup.root();
        root.addAppender(file(context, file(config, name), config));
        if (console) {
            root.addAppender(encoded(context, new ConsoleAppender<>(), "console"));
        }
        setup.level(config.level());
        return setup;
    }

    /** Returns the current log file. */
    public static Path file(LogConfig config, String name) {
        return config.folder().resolve(name + ".log");
    }

    public void level(String level) {
        root().setLevel(Level.toLevel(level, Level.INFO));
        // Netty at DEBUG logs thousands of lines about its internal choices, so its level stays at INFO.
        Level netty = root().getLevel().isGreaterOrEqual(Level.INFO) ? null : Level.INFO;
        context.getLogger("io.netty").setLevel(netty);
    }

    private Logger root() {
        return context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }

    private static OutputStreamAppender<ILoggingEvent> file(LoggerContext context, Path file, LogConfig config) {
        RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();
        appender.setFile(file.toString());

        NumberedFiles old = new NumberedFiles(file, config.rotateFileCount() - 1);
        old.setContext(context);
        old.setParent(appender);
        old.start();
        appender.setRollingPolicy(old);

        SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
        size.setContext(context);
        size.setMaxFileSize(new FileSize(config.rotateLimitBytes()));
        // By default Logback checks the size once a minute, and a burst of errors writes a lot in a
        // minute.
        size.setCheckIncrement(Duration.buildByMilliseconds(0));
        size.start();
        appender.setTriggeringPolicy(size);
        return encoded(context, appender, "file");
    }

    private static OutputStreamAppender<ILoggingEvent> encoded(
            LoggerContext context, OutputStreamAppender<ILoggingEvent> appender, String name) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern(PATTERN);
        encoder.start();
        appender.setName(name);
        appender.setContext(context);
        appender.setEncoder(encoder);
        appender.start();
        return appender;
    }

    /** Writes pending lines and closes the files. The level belongs to the process, so it is reset to the initial one. */
    @Override
    public void close() {
        level("DEBUG");
        context.stop();
    }
}
