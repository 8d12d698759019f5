package io.belfry.server.transport;

import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import io.belfry.protocol.Subjects;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The positions at which a stream resumes: those of the plain subjects in the order of the request, then one for all patterns,
 * joined by commas. Immutable.
 *
 * @param problem why the text is not such a list, or null
 * @param ofSubjects for each subject of the request, patterns included, the position at which to resume, or null
 * @param ofPatterns the position at which to resume the patterns, or null
 */
record StreamPositions(
        @Nullable String problem,
        List<@Nullable Position> ofSubjects,
        @Nullable PatternPosition ofPatterns) {

    /** Parses the text of an id or of the parameter {@code from}; null and an empty text are no positions. */
    static StreamPositions parse(@Nullable String text, List<byte[]> subjects) {
        String[] parts = text == null || text.isEmpty() ? new String[0] : text.split(",", -1);
        int plain = 0;
        for (byte[] subject : subjects) {
            plain += Subjects.isPattern(subject) ? 0 : 1;
        }
        int count = parts.length;
        PatternPosition ofPatterns = null;
        if (count > 0 && plain < subjects.size() && isOfPatterns(parts[count - 1])) {
            count--;
            ofPatterns = PatternPosition.parse(parts[count].strip());
            if (ofPatterns == null) {
                return bad("a position must be epoch:seq, that of patterns as the server sent it, not " + parts[count]);
            }
        }
        if (count > plain) {
            return bad("more positions than subjects without wildcards");
        }
        List<@Nullable Position> ofSubjects = new ArrayList<>();
        int next = 0;
        for (byte[] subject : subjects) {
            String part = Subjects.isPattern(subject) || next >= count ? "" : parts[next++].strip();
            Position position = part.isEmpty() ? null : Position.parse(part);
            if (!part.isEmpty() && position == null) {
                return bad("a position must be epoch:seq, not " + part);
            }
            ofSubjects.add(position);
        }
        return new StreamPositions(null, Collections.unmodifiableList(ofSubjects), ofPatterns);
    }

    /** Returns whether the text can only be a position of patterns, which has no colon. */
    private static boolean isOfPatterns(String part) {
        return !part.isBlank() && part.indexOf(':') < 0;
    }

    private static StreamPositions bad(String problem) {
        return new StreamPositions(problem, List.of(), null);
    }
}
