package io.belfry.server.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The memory limit of this process's control groups, in both versions of the kernel's interface. The limits of a group's
 * parents apply too, and inside a container the path that the kernel names may not exist. All groups up to the top are
 * therefore read, and the smallest limit counts. Immutable.
 */
record ControlGroup(HostFiles files) {
    private static final Pattern VERSION_2 = Pattern.compile("^0::(/.*)$");
    private static final Pattern VERSION_1 = Pattern.compile("^\\d+:(?:.*,)?memory(?:,[^:]*)?:(/.*)$");
    private static final Pattern BYTES = Pattern.compile("^(\\d{1,18})$");

    /** Version 1 expresses "no limit" by a number near the largest one. */
    private static final long NO_LIMIT_BYTES = 1L << 60;

    OptionalLong limitBytes() {
        return Stream.concat(
                        limits(VERSION_2, "sys/fs/cgroup", "memory.max"),
                        limits(VERSION_1, "sys/fs/cgroup/memory", "memory.limit_in_bytes"))
                .mapToLong(Long::longValue)
                .filter(bytes -> bytes < NO_LIMIT_BYTES)
                .min();
    }

    private Stream<Long> limits(Pattern group, String mount, String file) {
        return files.matches("proc/self/cgroup", group)
                .flatMap(line -> upwards(line.group(1)).stream())
                .flatMap(path -> files.matches(mount + path + "/" + file, BYTES))
                .map(bytes -> Long.parseLong(bytes.group(1)));
    }

    /** Returns a path and all its parents: for {@code /a/b} that is {@code /a/b}, {@code /a} and the empty path. */
    private static List<String> upwards(String path) {
        List<String> paths = new ArrayList<>();
        for (int end = path.length(); end > 0; end = path.lastIndexOf('/', end - 1)) {
            paths.add(path.substring(0, end));
        }
        paths.add("");
        return paths;
    }
}
