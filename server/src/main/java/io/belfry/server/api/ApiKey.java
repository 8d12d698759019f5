package io.belfry.server.api;

import java.util.Set;

/** A key of the server API: its name for the log, and its rights. The key itself is not stored. Immutable. */
record ApiKey(String name, Set<ApiRight> rights) {
    ApiKey {
        rights = Set.copyOf(rights);
    }
}
