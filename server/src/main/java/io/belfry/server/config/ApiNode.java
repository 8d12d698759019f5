package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;

/**
 * The server API of a node. Immutable.
 *
 * @param name name of the node, as {@code NodeName} sets it
 */
public record ApiNode(String name, ListenAddress address) {
    private static final String KEY = "Api.Nodes";

    /** Parses {@code NAME=HOST:PORT}. */
    static ApiNode parse(String text) {
        int end = text.indexOf('=');
        if (end <= 0) {
            throw new InvalidSetting(KEY, "the node " + text + " must be NAME=HOST:PORT, such as a=10.0.0.1:4001");
        }
        ListenAddress address = ListenAddress.parse(KEY, text.substring(end + 1));
        if (address.any() || address.port() == 0) {
            throw new InvalidSetting(KEY, "the node " + text + " needs the host and the port of its Api.Listen");
        }
        return new ApiNode(text.substring(0, end), address);
    }
}
