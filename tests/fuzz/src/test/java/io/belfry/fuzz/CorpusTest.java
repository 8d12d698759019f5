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

/** Replays every input of the corpus and random changes of it, without a fuzzer or an agent. */
final class CorpusTest {
    private static final int CHANGES = Integer.getInteger("belfry.fuzz.near", 50);

    @ParameterizedTest
    @EnumSource(FuzzTarget.class)
    void theCorpusAndChangesOfItPass(FuzzTarget target) throws IOException {
        List<Path> inputs = inputs(target);
        for (Path input : inputs) {
            byte[] bytes = Files.readAllBytes(input);
            run(target, bytes, input.getFileName().toString());
            Random random = new Random(Arrays.hashCode(bytes));
            for (int i = 0; i < CHANGES; i++) {
                run(target, changed(bytes, random), input.getFileName() + ", change number " + i);
            }
        }
        SplitInput.require(!inputs.isEmpty(), "the corpus is empty");
        run(target, new byte[0], "an empty input");
    }

    private static List<Path> inputs(FuzzTarget target) throws IOException {
        Path folder = Path.of("src/test/resources/corpus", target.folder());
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    private static void run(FuzzTarget target, byte[] input, String name) {
        try {
            target.run(input);
        } catch (RuntimeException | AssertionError failure) {
            throw new AssertionError(target + " with " + name, failure);
        }
    }

    /** Changes, removes or repeats a few bytes. The input seeds the random numbers, so every build makes the same changes. */
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
