package io.belfry.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every input that was kept, and what is near it, without an agent or anything else of a fuzzer. */
final class CorpusTest {
    private static final int NEAR = Integer.getInteger("belfry.fuzz.near", 50);

    @ParameterizedTest
    @EnumSource(Target.class)
    void whatWasKeptKeepsEveryPromise(Target target) throws IOException {
        List<Path> inputs = inputs(target);
        for (Path input : inputs) {
            byte[] bytes = Files.readAllBytes(input);
            run(target, bytes, input.getFileName().toString());
            Random random = new Random(Arrays.hashCode(bytes));
            for (int i = 0; i < NEAR; i++) {
                run(target, changed(bytes, random), input.getFileName() + " changed, number " + i);
            }
        }
        Pieces.require(!inputs.isEmpty(), "a corpus");
        run(target, new byte[0], "nothing");
    }

    private static List<Path> inputs(Target target) throws IOException {
        Path folder = Path.of("src/test/resources/corpus", target.folder());
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    private static void run(Target target, byte[] input, String name) {
        try {
            target.run(input);
        } catch (RuntimeException | AssertionError failure) {
            throw new AssertionError(target + " with " + name, failure);
        }
    }

    /** A few bytes changed, left out or doubled, as random as the input says: the same in every build. */
    private static byte[] changed(byte[] bytes, Random random) {
        byte[] next = bytes.clone();
        for (int i = random.nextInt(4); i >= 0 && next.length > 0; i--) {
            int at = random.nextInt(next.length);
            switch (random.nextInt(4)) {
                case 0 -> next[at] = (byte) random.nextInt(256);
                case 1 -> next[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> next = without(next, at, 1 + random.nextInt(next.length - at));
                default -> next = doubled(next, at, 1 + random.nextInt(Math.min(64, next.length - at)));
            }
        }
        return next;
    }

    private static byte[] without(byte[] bytes, int at, int length) {
        byte[] next = Arrays.copyOf(bytes, bytes.length - length);
        System.arraycopy(bytes, at + length, next, at, bytes.length - at - length);
        return next;
    }

    private static byte[] doubled(byte[] bytes, int at, int length) {
        byte[] next = Arrays.copyOf(bytes, bytes.length + length);
        System.arraycopy(bytes, at, next, at + length, bytes.length - at);
        return next;
    }
}
