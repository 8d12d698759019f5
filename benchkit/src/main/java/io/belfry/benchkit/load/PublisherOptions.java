package io.belfry.benchkit.load;

/**
 * The options of a fleet of publishers. Immutable.
 *
 * @param perSecond messages per second, all publishers together
 * @param burst number of messages with the same intended time
 * @param firstPublisher the number of the first publisher in the stamps
 * @param endMarksMax maximum number of streams; with more streams, no end marks are sent
 */
public record PublisherOptions(
        int publishers,
        SubjectList subjects,
        double perSecond,
        int burst,
        int messageSize,
        boolean acknowledged,
        int firstPublisher,
        int endMarksMax,
        LoadTarget target) {}
