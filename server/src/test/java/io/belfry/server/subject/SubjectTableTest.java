package io.belfry.server.subject;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.testsupport.TestScope;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SubjectTableTest {
    private static final long SEED = 42;

    private final SubjectTable table = new SubjectTable(SEED);

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private int find(String subject) {
        byte[] bytes = utf8(subject);
        return table.find(bytes, bytes.length, SubjectTable.hash(bytes, bytes.length, SEED));
    }

    private int findOrAdd(String subject) {
        byte[] bytes = utf8(subject);
        return table.findOrAdd(bytes, bytes.length, SubjectTable.hash(bytes, bytes.length, SEED));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void onlyKnownSubjectsAreFound() {
        int a = findOrAdd("/a");
        int b = findOrAdd("/b");
        assertThat(findOrAdd("/a")).isEqualTo(a).isNotEqualTo(b);
        assertThat(find("/b")).isEqualTo(b);
        assertThat(find("/c")).isEqualTo(SubjectTable.NONE);
        assertThat(table.size()).isEqualTo(2);
        assertThat(text(table.key(b))).isEqualTo("/b");
    }

    @Test
    void aFreeIdIsAssignedToTheNextSubject() {
        int a = findOrAdd("/a");
        findOrAdd("/b");
        table.remove(a);
        assertThat(find("/a")).isEqualTo(SubjectTable.NONE);
        assertThat(findOrAdd("/c")).isEqualTo(a);
        assertThat(table.idBound()).isEqualTo(2);
    }

    @Test
    void subjectsOfEveryLengthAreKept() {
        for (int length = 1; length <= 255; length++) {
            assertThat(text(table.key(findOrAdd("x".repeat(length))))).hasSize(length);
        }
        for (int length = 1; length <= 255; length++) {
            table.remove(find("x".repeat(length)));
        }
        assertThat(table.size()).isZero();
        for (int length = 255; length >= 1; length--) {
            assertThat(text(table.key(findOrAdd("y".repeat(length))))).isEqualTo("y".repeat(length));
        }
        assertThat(table.idBound()).isEqualTo(255);
    }

    @Test
    void subjectsWithTheSameHashAreDistinguished() {
        List<byte[]> subjects = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            subjects.add(utf8("/collides/" + i));
        }
        Map<String, Integer> ids = new HashMap<>();
        // The index uses the given hash; only growth computes the true hash.
        for (byte[] subject : subjects) {
            ids.put(text(subject), table.findOrAdd(subject, subject.length, hashOf(subject)));
        }
        Random random = new Random(3);
        while (!ids.isEmpty()) {
            List<String> left = new ArrayList<>(ids.keySet());
            String gone = left.get(random.nextInt(left.size()));
            table.remove(find(gone));
            ids.remove(gone);
            ids.forEach((subject, id) -> assertThat(find(subject)).isEqualTo(id));
            assertThat(find(gone)).isEqualTo(SubjectTable.NONE);
        }
    }

    private static long hashOf(byte[] subject) {
        return SubjectTable.hash(subject, subject.length, SEED);
    }

    @Test
    void randomSubjectsAgreeWithAMap() {
        Random random = new Random(7);
        Map<String, Integer> model = new HashMap<>();
        for (int i = 0; i < 200_000; i++) {
            String subject = "/" + "s".repeat(random.nextInt(20)) + random.nextInt(8000);
            Integer known = model.get(subject);
            if (known != null && random.nextInt(2) == 0) {
                table.remove(known);
                model.remove(subject);
            } else {
                int id = findOrAdd(subject);
                assertThat(id).isEqualTo(known == null ? id : known);
                model.put(subject, id);
            }
        }
        assertAgrees(model);
    }

    private void assertAgrees(Map<String, Integer> model) {
        assertThat(table.size()).isEqualTo(model.size());
        assertThat(new HashSet<>(model.values())).hasSize(model.size());
        model.forEach((subject, id) -> {
            assertThat(find(subject)).isEqualTo(id);
            assertThat(text(table.key(id))).isEqualTo(subject);
        });
    }

    @Test
    void theTableGrowsOverManyPages() {
        int count = 150_000;
        for (int i = 0; i < count; i++) {
            assertThat(findOrAdd("/growing/" + i)).isEqualTo(i);
        }
        for (int i = 0; i < count; i++) {
            assertThat(find("/growing/" + i)).isEqualTo(i);
        }
    }

    @Test
    void theHashDependsOnTheSeedAndEveryByte() {
        HashSet<Long> hashes = new HashSet<>();
        byte[] subject = new byte[30];
        for (int i = 0; i < subject.length; i++) {
            subject[i] = 1;
            hashes.add(SubjectTable.hash(subject, subject.length, SEED));
            hashes.add(SubjectTable.hash(subject, subject.length, SEED + 1));
            subject[i] = 0;
        }
        assertThat(hashes).hasSize(60);
    }

    @Test
    void aKeyCopiedFromTheTableFindsItsSubject() {
        int id = findOrAdd("/a/b");
        SubjectKey key = new SubjectKey(SEED).set(table, id);
        assertThat(table.find(key.bytes(), key.length(), key.hash())).isEqualTo(id);
        assertThat(key.copy()).isEqualTo(utf8("/a/b"));
        assertThat(new SubjectKey(SEED).set(key.buffer(), 0, key.length()).hash())
                .isEqualTo(key.hash());
    }

    @Test
    void removedSubjectsFreeTheirMemory() {
        int wave = 200_000;
        int rounds = TestScope.length(5, 3);
        long most = 0;
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < wave; i++) {
                findOrAdd("/wave/" + (round * wave + i));
            }
            most = Math.max(most, table.bytes());
            for (int i = 0; i < wave - 10; i++) {
                table.remove(find("/wave/" + (round * wave + i)));
            }
            assertThat(table.idBound()).isLessThanOrEqualTo(wave + 100);
        }
        assertThat(most).as("each round reuses the memory of the previous one").isLessThan(8_500_000);
        for (int round = 0; round < rounds; round++) {
            for (int i = wave - 10; i < wave; i++) {
                table.remove(find("/wave/" + (round * wave + i)));
            }
        }
        assertThat(table.size()).isZero();
        assertThat(table.bytes()).isLessThan(20_000);
        assertThat(findOrAdd("/again")).isZero();
    }

    @Test
    void forgottenSubjectsFreeTheirMemoryBesideOthers() {
        for (int i = 0; i < 10; i++) {
            findOrAdd("/stays/" + i);
        }
        long before = table.bytes();
        for (int i = 0; i < 100_000; i++) {
            findOrAdd("/passes/" + i);
        }
        long most = table.bytes();
        for (int i = 0; i < 100_000; i++) {
            table.remove(find("/passes/" + i));
        }
        assertThat(most).isGreaterThan(2_500_000);
        assertThat(table.bytes())
                .as("the page that is written, and one of the ids")
                .isLessThan(before + 300_000);
        for (int i = 0; i < 10; i++) {
            assertThat(text(table.key(find("/stays/" + i)))).isEqualTo("/stays/" + i);
        }
    }

    @Test
    void namesOfEveryLengthAgreeWithAMapWhilePagesComeAndGo() {
        Random random = new Random(11);
        Map<String, Integer> model = new HashMap<>();
        for (int round = 0; round < 6; round++) {
            int size = round % 2 == 0 ? 6000 : 10;
            while (model.size() < size) {
                String subject = "/" + random.nextInt() + "s".repeat(random.nextInt(240));
                model.put(subject, findOrAdd(subject));
            }
            List<String> known = new ArrayList<>(model.keySet());
            for (String subject : known.subList(0, Math.max(0, known.size() - 10))) {
                table.remove(find(subject));
                model.remove(subject);
            }
            assertAgrees(model);
        }
        assertThat(table.bytes()).isLessThan(3_500_000);
    }

    @Test
    void idsOfMoreThanTwentyFourBitsAreFound() {
        Map<String, Integer> model = new HashMap<>();
        for (int i = 0; i < 3000; i++) {
            String subject = "/restored/" + i;
            int id = i % 3 == 0 ? i : (1 << 24) - 1500 + i;
            table.restore(id, utf8(subject), utf8(subject).length, hashOf(utf8(subject)));
            model.put(subject, id);
        }
        table.endRestore();
        assertAgrees(model);
        for (int i = 0; i < 3000; i += 2) {
            table.remove(find("/restored/" + i));
            model.remove("/restored/" + i);
        }
        assertAgrees(model);
    }

    @Test
    void theIndexTakesFewBytesForEachSubject() {
        int subjects = TestScope.length(1_000_000, 400_000);
        SubjectTable large = new SubjectTable(SEED);
        for (int i = 0; i < subjects; i++) {
            byte[] subject = utf8("/s" + (1_000_000 + i));
            large.findOrAdd(subject, subject.length, hashOf(subject));
            if (i >= subjects / 2 && i % (subjects / 20) == 0) {
                // 10 bytes of the name with its length, and 4 of its place.
                assertThat((double) large.bytes() / large.size()).isBetween(18.0, 20.5);
            }
        }
    }
}
