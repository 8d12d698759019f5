package io.belfry.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The values of the option {@code --header}. Pure. */
final class HeaderOptions {
    private HeaderOptions() {}

    /** Returns the headers of {@code NAME=VALUE} texts, in their order. */
    static Map<String, String> named(List<String> texts) {
        Map<String, String> named = new LinkedHashMap<>();
        for (String each : texts) {
            int end = each.indexOf('=');
            if (end < 1 || named.put(each.substring(0, end), each.substring(end + 1)) != null) {
                throw new IllegalArgumentException(
                        "--header " + each + (end < 1 ? ": must be NAME=VALUE" : ": the name is given twice"));
            }
        }
        return named;
    }
}
