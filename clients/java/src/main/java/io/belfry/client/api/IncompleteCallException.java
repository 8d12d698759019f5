package io.belfry.client.api;

import java.util.List;
import java.util.stream.Collectors;

/** Some nodes did not execute a call; the others did. The call can be repeated until no node is missing. */
public final class IncompleteCallException extends ApiException {
    private static final long serialVersionUID = 1;

    private final long done;
    private final transient List<MissingNode> missing;

    IncompleteCallException(long done, List<MissingNode> missing) {
        super(
                503,
                "node-unreachable",
                missing.stream().map(each -> each.node() + ": " + each.reason()).collect(Collectors.joining("; ")));
        this.done = done;
        this.missing = List.copyOf(missing);
    }

    /**
     * A node that did not execute the call. Immutable.
     *
     * @param node name of the node
     * @param code why it did not
     * @param reason sentence about the code
     */
    public record MissingNode(String node, String code, String reason) {}

    /** Returns what the call would have returned: the number of sessions or subscriptions on the other nodes. */
    public long done() {
        return done;
    }

    /** Returns the nodes that did not execute the call. */
    public List<MissingNode> missing() {
        return missing;
    }
}
