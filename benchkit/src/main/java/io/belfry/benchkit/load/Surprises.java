package io.belfry.benchkit.load;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Sentences about what went wrong, each with how often, so that ten thousand lost connections are one line. Any thread.
 */
public final class Surprises {
    private static final int SENTENCES_MAX = 100;

    private final Map<String, Long> counts = new LinkedHashMap<>();
    private long beyond;

    synchronized void add(String sentence) {
        if (counts.size() < SENTENCES_MAX || counts.containsKey(sentence)) {
            counts.merge(sentence, 1L, Long::sum);
        } else {
            beyond++;
        }
    }

    /** What was added since the last call, one line for each sentence. */
    public synchronized List<String> take() {
        List<String> lines = new ArrayList<>();
        counts.forEach((sentence, count) -> lines.add(count == 1 ? sentence : count + " times: " + sentence));
        if (beyond > 0) {
            lines.add(beyond + " times: something else");
        }
        counts.clear();
        beyond = 0;
        return lines;
    }
}
