package io.belfry.testsupport;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test class if, while it ran, a Netty buffer leaked, a thread ended with an uncaught exception, or an event loop caught
 * an exception that only its log shows. A test that provokes a fault calls {@link ExpectedFaults}. Leaks are found by garbage
 * collections, which run at the end of some classes and at the end of all: a leak may fail a later class than its own. The report
 * says where the buffer was allocated.
 */
public final class FaultCheck implements BeforeAllCallback, AfterAllCallback {
    /** An earlier class may have replaced the handler, as a server that runs in this process does, or reset the log. */
    @Override
    public void beforeAll(ExtensionContext context) {
        RecordedFaults.recordUncaught();
        LoggedErrors.install();
    }

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        Class<?> tests = context.getRequiredTestClass();
        if (!tests.isMemberClass()) {
            LeakDetectors.recordLeaksIfDue();
        }
        RecordedFaults.failIfAny(tests.getName());
    }
}
