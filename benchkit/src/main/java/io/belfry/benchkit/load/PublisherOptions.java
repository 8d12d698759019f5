package io.belfry.benchkit.load;

/**
 * What a fleet of publishers is to do. Immutable.
 *
 * @param perSecond messages per second of all publishers together
 * @param burst messages meant for the same moment
 * @param firstPublisher the number of the first publisher in the stamps
 * @param endMarksMax streams of more than this get no end marks, none of them
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
        Target target) {}
