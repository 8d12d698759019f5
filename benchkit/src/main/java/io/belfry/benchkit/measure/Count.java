package io.belfry.benchkit.measure;

/** Everything a load generator counts beside latencies, so that nothing it sees goes untold. */
public enum Count {
    MESSAGES("messages", "Messages received and measured."),
    WARM_UP_MESSAGES(
            "warmUpMessages", "Messages received before WarmUpTime was over: verified, their latency left out."),
    UNSTAMPED("unstamped", "Messages without a stamp: not from benchpub, so without a latency."),
    REPLAYED("replayed", "Messages of type snapshot or history: older than the subscription, so without a latency."),
    MISDELIVERED("misdelivered", "Messages of a subject the client had not subscribed to."),
    LOST("lost", "Numbers missing between two messages of one publisher to one subject."),
    DUPLICATED("duplicated", "Messages that came again."),
    REORDERED("reordered", "Messages that came after a later one of the same publisher and subject."),
    BEFORE_FIRST("beforeFirst", "Numbers below the first one seen: sent before the subscription, or lost."),
    POSITIONS_MISSING("positionsMissing", "Positions the server skipped without saying so, from the subscription on."),
    POSITIONS_REPEATED("positionsRepeated", "Messages whose position was not beyond the one before."),
    EPOCH_CHANGES("epochChanges", "Times a subject went on in another epoch."),
    GAPS_ANNOUNCED("gapsAnnounced", "Gaps the server announced."),
    RECONNECT_NOTICES("reconnectNotices", "Notices that the server asks to reconnect."),
    ERRORS("errors", "Errors the server answered."),
    DISCONNECTIONS("disconnections", "Connections that ended while they should have stood."),
    END_MARKS("endMarks", "End marks: a publisher's last word to a subject, by which a loss at the end is seen."),
    END_MARKS_MISSING(
            "endMarksMissing", "Streams of publishers that have ended whose end mark did not come: it was lost."),
    EXPECTED("expected", "Messages that, by the publishers' end marks, were meant for these clients."),
    STALLED("stalled", "Readers that were told to read no more (StalledReaders)."),
    STALLED_DISCONNECTED("stalledDisconnected", "Stalled readers that the server disconnected."),
    STALLED_MESSAGES("stalledMessages", "Messages that stalled readers got since they stalled first."),
    STALLED_DROPPED("stalledDropped", "Messages that stalled readers were told not to get: dropped."),
    STALLED_CONFLATED("stalledConflated", "Messages that stalled readers were told not to get: conflated."),
    STALLED_SKIPPED("stalledSkipped", "Messages that stalled readers did not get and were not told of."),
    STALLED_REPEATED("stalledRepeated", "Messages that stalled readers got again."),
    STALLED_BEHIND("stalledBehind", "Messages that stalled readers had not been given at the end, but others had."),
    CONNECTS("connects", "Times a client connected and became ready."),
    CONNECTS_FAILED("connectsFailed", "Times a client failed to become ready and the run went on (HoldTime)."),
    BYTES_READ("bytesRead", "Bytes read from sockets."),
    PUBLISHED("published", "Messages handed to the socket."),
    WARM_UP_PUBLISHED("warmUpPublished", "Messages handed to the socket before WarmUpTime was over."),
    ACKNOWLEDGED("acknowledged", "Publishes the server acknowledged."),
    STALLS("stalls", "Times publishing waited because a socket took no more; the waiting shows as latency and lag.");

    private final String key;
    private final String sentence;

    Count(String key, String sentence) {
        this.key = key;
        this.sentence = sentence;
    }

    /** Its name in the JSON report. */
    public String key() {
        return key;
    }

    public String sentence() {
        return sentence;
    }
}
