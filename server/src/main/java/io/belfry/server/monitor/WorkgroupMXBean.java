package io.belfry.server.monitor;

/** {@code io.belfry:type=Workgroup,name=N}: one workgroup. Any thread may call it; values are at most a second old. */
public interface WorkgroupMXBean {
    @Figure(unit = "loops", value = "Event loops of this workgroup.")
    int getLoops();

    @Figure(unit = "sessions", value = "Sessions of this workgroup open now.")
    long getConnectedSessions();

    @Figure(unit = "sessions/s", value = "Sessions opened within the last second.")
    double getSessionConnectionsPerSecond();

    @Figure(unit = "sessions/s", value = "Sessions closed within the last second.")
    double getSessionDisconnectionsPerSecond();

    @Figure(unit = "messages/s", value = "Publish commands received within the last second.")
    double getInPublishMessagesPerSecond();

    @Figure(unit = "messages/s", value = "Messages handed to this workgroup's sockets within the last second.")
    double getOutPublishMessagesPerSecond();

    @Figure(unit = "bytes/s", value = "Bytes read from this workgroup's sockets within the last second.")
    double getInBytesPerSecond();

    @Figure(unit = "bytes/s", value = "Bytes handed to this workgroup's sockets within the last second.")
    double getOutBytesPerSecond();

    @Figure(unit = "subjects", value = "Subjects this workgroup owns.")
    long getNumberOfSubjects();

    @Figure(unit = "bytes", value = "Bytes handed to this workgroup by others and not yet processed.")
    long getInboxBytes();

    @Figure(unit = "bytes", value = "Bytes accepted for sessions whose sockets are not writable.")
    long getQueuedBytes();

    @Figure(unit = "sessions", value = "Sessions of this workgroup that lag behind their subjects now.")
    long getSlowSessions();

    @Figure(unit = "us", value = "Half of the event loop ticks of the last minute were at most this late.")
    long getEventLoopLagP50Micros();

    @Figure(unit = "us", value = "99 % of the event loop ticks of the last minute were at most this late.")
    long getEventLoopLagP99Micros();

    @Figure(unit = "us", value = "The latest tick of the last minute.")
    long getEventLoopLagMaxMicros();
}
