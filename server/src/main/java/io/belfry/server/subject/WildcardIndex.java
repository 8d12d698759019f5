package io.belfry.server.subject;

import io.belfry.protocol.Subjects;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Patterns and their values, in a trie of segments. Owner: the lane's loop. An empty index costs nothing: callers check
 * {@link #isEmpty} first. A match visits at most the literal child and the {@code *} child of each level, so its cost depends
 * on the depth of the subject and not on the number of patterns.
 */
public final class WildcardIndex<T> {
    private static final String ANY_ONE = "*";
    private static final String ANY_MORE = "**";

    /** A map that never had more children keeps its size. */
    private static final int CHILDREN_KEPT = 64;

    private static final class Node<T> {
        Map<String, Node<T>> children = new HashMap<>();
        final List<T> values = new ArrayList<>(1);

        /** The most children since the map was created: a map does not shrink by itself. */
        int most;

        Node<T> child(String segment) {
            Node<T> child = children.computeIfAbsent(segment, s -> new Node<>());
            most = Math.max(most, children.size());
            return child;
        }

        void remove(String segment) {
            children.remove(segment);
            if (most > CHILDREN_KEPT && children.size() < most / 8) {
                children = new HashMap<>(children);
                most = children.size();
            }
        }

        boolean isBare() {
            return children.isEmpty() && values.isEmpty();
        }
    }

    private final Node<T> root = new Node<>();
    private int size;

    public boolean isEmpty() {
        return size == 0;
    }

    public int size() {
        return size;
    }

    public void add(byte[] pattern, T value) {
        Node<T> node = root;
        for (String segment : segments(pattern)) {
            node = node.child(segment);
        }
        node.values.add(value);
        size++;
    }

    /** Removes one value of a pattern, and the branches that are empty after it. Returns whether the value was found. */
    public boolean remove(byte[] pattern, T value) {
        boolean removed = remove(root, segments(pattern), 0, value);
        if (removed) {
            size--;
        }
        return removed;
    }

    private boolean remove(Node<T> node, String[] segments, int depth, T value) {
        if (depth == segments.length) {
            return node.values.remove(value);
        }
        Node<T> child = node.children.get(segments[depth]);
        if (child == null || !remove(child, segments, depth + 1, value)) {
            return false;
        }
        if (child.isBare()) {
            node.remove(segments[depth]);
        }
        return true;
    }

    /** Passes the values of every pattern that matches the subject to {@code matches}. */
    public void match(byte[] subject, int length, Consumer<? super T> matches) {
        match(root, segments(new String(subject, 0, length, StandardCharsets.UTF_8)), 0, matches);
    }

    private void match(Node<T> node, String[] segments, int depth, Consumer<? super T> matches) {
        if (depth == segments.length) {
            node.values.forEach(matches);
            return;
        }
        visit(node.children.get(segments[depth]), segments, depth, matches);
        if (isReserved(segments[depth])) {
            return;
        }
        visit(node.children.get(ANY_ONE), segments, depth, matches);
        Node<T> rest = node.children.get(ANY_MORE);
        if (rest != null && noneReserved(segments, depth)) {
            rest.values.forEach(matches);
        }
    }

    /** Returns whether only a literal pattern segment matches this segment, because it begins with a dollar sign. */
    private static boolean isReserved(String segment) {
        return segment.startsWith("$");
    }

    private static boolean noneReserved(String[] segments, int from) {
        for (int i = from; i < segments.length; i++) {
            if (isReserved(segments[i])) {
                return false;
            }
        }
        return true;
    }

    private void visit(@Nullable Node<T> child, String[] segments, int depth, Consumer<? super T> matches) {
        if (child != null) {
            match(child, segments, depth + 1, matches);
        }
    }

    private static String[] segments(byte[] pattern) {
        assert Subjects.MAX_BYTES >= pattern.length;
        return segments(new String(pattern, StandardCharsets.UTF_8));
    }

    private static String[] segments(String subject) {
        return subject.substring(1).split("/", -1);
    }
}
