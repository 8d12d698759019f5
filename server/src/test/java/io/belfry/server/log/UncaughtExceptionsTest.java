package io.belfry.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class UncaughtExceptionsTest {
    private static void endByException(String name) throws InterruptedException {
        Thread doomed = new Thread(
                () -> {
                    throw new IllegalStateException("a fault");
                },
                name);
        doomed.start();
        doomed.join();
    }

    @Test
    void anUncaughtExceptionIsLoggedAsAnErrorWithItsThread() throws InterruptedException {
        Logger logger = (Logger) LoggerFactory.getLogger(UncaughtExceptions.class);
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        logger.addAppender(logged);
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        try {
            UncaughtExceptions.log();
            endByException("belfry-doomed");
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
            logger.detachAppender(logged);
        }
        assertThat(logged.list).singleElement().satisfies(event -> {
            assertThat(event.getLevel()).isEqualTo(Level.ERROR);
            assertThat(event.getFormattedMessage()).startsWith("uncaught exception: thread=\"belfry-doomed\"");
            assertThat(event.getThrowableProxy().getMessage()).isEqualTo("a fault");
        });
    }
}
