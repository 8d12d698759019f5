package io.belfry.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.DefaultEventExecutor;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.slf4j.LoggerFactory;

/** Runs classes that have faults in a second launcher, which finds the extensions as in every module. */
class FaultCheckTest {
    private static List<String> failuresOf(Class<?> tests) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(tests))
                .build();
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, summary);
        return summary.getSummary().getFailures().stream()
                .map(failure -> String.valueOf(failure.getException().getMessage()))
                .toList();
    }

    @Test
    void aLeakedBufferFailsItsClass() {
        LeakDetectors.makeDue();
        assertThat(failuresOf(LeakingFixture.class))
                .singleElement()
                .asString()
                .contains("LEAK: ByteBuf")
                .contains("LeakingFixture.leaks");
    }

    @Test
    void anUncaughtExceptionFailsItsClass() {
        assertThat(failuresOf(ThrowingFixture.class))
                .singleElement()
                .asString()
                .contains("uncaught exception in thread doomed: java.lang.IllegalStateException: nobody catches this");
    }

    @Test
    void anExceptionThatALoopOnlyLogsFailsItsClass() {
        assertThat(failuresOf(ThrowingTaskFixture.class))
                .singleElement()
                .asString()
                .contains("event executor: ", "java.lang.IllegalStateException: only the loop sees this");
    }

    @Test
    void aLoggedUnexpectedExceptionFailsItsClass() {
        assertThat(failuresOf(LoggingFixture.class))
                .singleElement()
                .asString()
                .contains("logged error: unexpected exception; the session ends", "this ended a session");
    }

    @Test
    void anExpectedFaultIsRemoved() {
        assertThat(failuresOf(ExpectingFixture.class))
                .singleElement()
                .asString()
                .contains("no fault was recorded that contains: something else");
    }

    @Test
    void aClassWithoutFaultsPasses() {
        assertThat(failuresOf(CleanFixture.class)).isEmpty();
    }
}

/** Only FaultCheckTest runs the fixtures: the build takes classes whose names end in Test. */
class LeakingFixture {
    @Test
    void leaks() {
        Unpooled.directBuffer(16).writeByte(1);
    }
}

class ThrowingFixture {
    @Test
    void throwsOnAThread() throws InterruptedException {
        Thread doomed = new Thread(
                () -> {
                    throw new IllegalStateException("nobody catches this");
                },
                "doomed");
        doomed.start();
        doomed.join();
    }
}

class ThrowingTaskFixture {
    @Test
    void throwsOnALoop() throws Exception {
        DefaultEventExecutor loop = new DefaultEventExecutor();
        loop.execute(() -> {
            throw new IllegalStateException("only the loop sees this");
        });
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).await();
    }
}

class LoggingFixture {
    static void log() {
        LoggerFactory.getLogger("session")
                .error("unexpected exception; the session ends", new IllegalStateException("this ended a session"));
    }

    @Test
    void logs() {
        log();
    }
}

class ExpectingFixture {
    @Test
    void removes() {
        LoggingFixture.log();
        ExpectedFaults.remove("this ended a session");
    }

    @Test
    void removesAnother() {
        ExpectedFaults.remove("something else");
    }
}

class CleanFixture {
    @Test
    void releases() {
        Unpooled.directBuffer(16).release();
    }
}
