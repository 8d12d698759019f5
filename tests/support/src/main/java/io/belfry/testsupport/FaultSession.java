package io.belfry.testsupport;

import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Records faults from before JUnit loads the first test class, because Netty creates its detectors when its classes are
 * loaded. A fault that occurs after the last class fails the run.
 */
public final class FaultSession implements LauncherSessionListener {
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        NettyWarnings.install();
        LeakDetectors.install();
        LoggedErrors.install();
        RecordedFaults.recordUncaught();
    }

    @Override
    public void launcherSessionClosed(LauncherSession session) {
        try {
            LeakDetectors.recordLeaks();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        RecordedFaults.failIfAny("the run");
    }
}
