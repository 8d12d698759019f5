package io.belfry.testsupport;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Makes Netty's leak detectors record their reports in {@link RecordedFaults}. Any thread may ask for a detector. */
final class LeakDetectors extends ResourceLeakDetectorFactory {
    /** Bounds the wait for one collection, which takes tens of milliseconds. */
    private static final long COLLECTION_MILLIS = 2000;

    /** A collection of a whole module's heap takes 0.4 s of processor time, most test classes less than a second. */
    private static final long BETWEEN_COLLECTIONS_NANOS = 15_000_000_000L;

    private static final List<ResourceLeakDetector<?>> CREATED = new CopyOnWriteArrayList<>();
    private static volatile long nextCollectionNanos = System.nanoTime() + BETWEEN_COLLECTIONS_NANOS;

    /** Replaces Netty's factory. Only detectors that Netty creates afterwards record their reports. */
    static void install() {
        if (!(ResourceLeakDetectorFactory.instance() instanceof LeakDetectors)) {
            ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new LeakDetectors());
        }
    }

    /** Does the same as {@link #recordLeaks} if the last collection was some time ago. */
    static void recordLeaksIfDue() throws InterruptedException {
        if (System.nanoTime() - nextCollectionNanos >= 0) {
            recordLeaks();
        }
    }

    /** Makes the next collection due, for a test of the reports. */
    static void makeDue() {
        nextCollectionNanos = System.nanoTime();
    }

    /** Runs the collector, then records every tracked resource that was collected unreleased. */
    static void recordLeaks() throws InterruptedException {
        if (CREATED.isEmpty() || !ResourceLeakDetector.isEnabled()) {
            return;
        }
        // References of one collection are enqueued in no order. After the second, all of the first are enqueued.
        awaitCollection();
        awaitCollection();
        for (ResourceLeakDetector<?> detector : CREATED) {
            report(detector);
        }
        nextCollectionNanos = System.nanoTime() + BETWEEN_COLLECTIONS_NANOS;
    }

    private static void awaitCollection() throws InterruptedException {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        WeakReference<Object> unreachable = new WeakReference<>(new Object(), collected);
        System.gc();
        collected.remove(COLLECTION_MILLIS);
        unreachable.clear();
    }

    /** A detector reports what was collected when it begins to track the next resource. */
    @SuppressWarnings({"unchecked", "deprecation"}) // A detector keeps the identity of what it tracks, not its type.
    private static void report(ResourceLeakDetector<?> detector) {
        Object tracked = new Object();
        ResourceLeakTracker<Object> tracker = ((ResourceLeakDetector<Object>) detector).trackForcibly(tracked);
        tracker.close(tracked);
    }

    @Override
    @SuppressWarnings("deprecation") // The abstract method of the factory, which Netty still calls.
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(
            Class<T> resource, int samplingInterval, long maxActive) {
        return newResourceLeakDetector(resource, samplingInterval);
    }

    @Override
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(Class<T> resource, int samplingInterval) {
        ResourceLeakDetector<T> detector = new Recording<>(resource, samplingInterval);
        CREATED.add(detector);
        return detector;
    }

    private static final class Recording<T> extends ResourceLeakDetector<T> {
        Recording(Class<?> resource, int samplingInterval) {
            super(resource, samplingInterval);
        }

        /** The default reports only where the log takes errors, and some tests switch the log off. */
        @Override
        protected boolean needReport() {
            return true;
        }

        @Override
        protected void reportTracedLeak(String resource, String records) {
            RecordedFaults.leak(resource, records);
        }

        @Override
        protected void reportUntracedLeak(String resource) {
            RecordedFaults.leak(resource, "");
        }
    }
}
