package io.belfry.client;

/** An element of {@link BelfryClient#stream}: a message, or a gap in its place between the messages. */
public sealed interface StreamItem permits Message, Gap {
    /** Returns the subject; that of a {@link Gap} is a pattern if the subjects are unknown. */
    String subject();
}
