package io.belfry.benchkit.load;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Unexpected events as sentences with a count each, so that ten thousand lost connections are reported in one line. Any
 * thread.
 */
public final class Incidents {
    private static final int SENTENCES_MAX = 100;

    private final Map<String, Long> counts = new LinkedHashMap<>();
    private long others;

    synchronized void add(String sentence) {
        if (counts.size() < SENTENCES_MAX || counts.containsKey(sentence)) {
            counts.merge(sentence, 1L, Long::sum);
        } else {
            others++;
        }
    }

    /** Removes and returns what was added since the last call, one line for each sentence. */
    public synchronized List<String> take() {
        List<String> lines = new ArrayList<>();
        counts.forEach((sentence, count) -> lines.add(count == 1 ? sentence : count + " times: " + sentence));
        if (others > 0) {
            lines.add(others + " times: other incidents");
        }
        counts.clear();
        others = 0;
        return lines;
    }
}
