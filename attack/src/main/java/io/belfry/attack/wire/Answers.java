package io.belfry.attack.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** HTTP answers in the order in which they came over one connection. Immutable. */
public record Answers(List<Answer> all) {
    private static final String HEAD_END = "\r\n\r\n";

    public Answers {
        all = List.copyOf(all);
    }

    /** One answer; header names in lower case. */
    public record Answer(int status, Map<String, String> headers, String body) {
        public boolean isError() {
            return status >= 400;
        }

        public String header(String lowerName) {
            return headers.getOrDefault(lowerName, "");
        }
    }

    /** Takes text apart as a client does, by lengths and chunks: what an answer's body holds is no answer. */
    public static Answers of(String text) {
        List<Answer> answers = new ArrayList<>();
        String rest = text;
        while (rest.startsWith("HTTP/1.1 ") && rest.contains(HEAD_END)) {
            int headEnd = rest.indexOf(HEAD_END);
            Answer head = head(rest.substring(0, headEnd));
            rest = rest.substring(headEnd + HEAD_END.length());
            if (head.status() / 100 == 1) {
                // An interim answer (100 Continue) or a switch to another protocol: nothing of it is a body.
                answers.add(head);
                continue;
            }
            int length = bodyLength(head, rest);
            answers.add(new Answer(head.status(), head.headers(), rest.substring(0, length)));
            rest = rest.substring(length);
        }
        return new Answers(answers);
    }

    private static Answer head(String text) {
        List<String> lines = List.of(text.split("\r\n", -1));
        Map<String, String> headers = new TreeMap<>();
        for (String line : lines.subList(1, lines.size())) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                headers.put(
                        line.substring(0, colon).toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).strip());
            }
        }
        return new Answer(status(lines.getFirst()), headers, "");
    }

    private static int status(String line) {
        String[] words = line.split(" ", 3);
        return words.length > 1 && words[1].matches("\\d{3}") ? Integer.parseInt(words[1]) : 0;
    }

    private static int bodyLength(Answer head, String rest) {
        if (head.header("transfer-encoding").equals("chunked")) {
            int last = rest.indexOf("\r\n0\r\n\r\n");
            return last < 0 ? rest.length() : last + 7;
        }
        String length = head.header("content-length");
        return length.matches("\\d{1,9}") ? Math.min(rest.length(), Integer.parseInt(length)) : 0;
    }

    public int count() {
        return all.size();
    }

    /** Of the first answer; 0 where there is none. */
    public int status() {
        return all.isEmpty() ? 0 : all.getFirst().status();
    }

    /** Those that are no interim ones. */
    public List<Answer> whole() {
        return all.stream().filter(answer -> answer.status() != 100).toList();
    }

    @Override
    public String toString() {
        return all.isEmpty()
                ? "no answer"
                : String.join(
                        ", ",
                        all.stream()
                                .map(each -> Integer.toString(each.status()))
                                .toList());
    }
}
