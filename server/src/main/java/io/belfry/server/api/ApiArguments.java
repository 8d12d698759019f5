package io.belfry.server.api;

import io.belfry.protocol.Code;
import io.belfry.server.monitor.HttpRefusal;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The members of a call's body. Immutable. */
record ApiArguments(Map<String, Object> members) {
    ApiArguments {
        members = Map.copyOf(members);
    }

    Optional<String> text(String name) {
        return of(name, String.class, "a text");
    }

    boolean flag(String name) {
        return of(name, Boolean.class, "true or false").orElse(false);
    }

    /** Returns a whole number from 0 to {@code max}, or the default. */
    long number(String name, long otherwise, long max) {
        long number = of(name, Long.class, "a whole number").orElse(otherwise);
        if (number < 0 || number > max) {
            throw new HttpRefusal(Code.BAD_REQUEST, name + " must be from 0 to " + max);
        }
        return number;
    }

    /** Returns a time in ms since 1970, from 0 to {@code max}, if the member is present. */
    Optional<Long> time(String name, long max) {
        Optional<Long> time = of(name, Long.class, "a whole number");
        if (time.isPresent() && (time.get() < 0 || time.get() > max)) {
            throw new HttpRefusal(Code.BAD_REQUEST, name + " must be a time in ms since 1970");
        }
        return time;
    }

    @SuppressWarnings("unchecked")
    List<String> texts(String name) {
        return (List<String>) of(name, List.class, "a list of texts").orElse(List.of());
    }

    private <T> Optional<T> of(String name, Class<T> type, String description) {
        Object value = members.get(name);
        if (value != null && !type.isInstance(value)) {
            throw new HttpRefusal(Code.BAD_REQUEST, name + " must be " + description);
        }
        return Optional.ofNullable(value).map(type::cast);
    }
}
