package io.belfry.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeyDocumentsTest {
    private static final KeySet KEYS = new KeySet(List.of(SampleKey.values()), "TRY_", Set.of(), "keys.md");

    @Test
    void aTemplateHasEveryKeyCommentedOut() {
        assertThat(ConfTemplate.of("What this is.", KEYS))
                .startsWith("# What this is.\n\n# For the tests.\n#MaxSize = 64 KB\n")
                .contains("\n#Token =\n", "\n#Group.* =\n");
        assertThat(PropertiesText.parse("a", ConfTemplate.of("x", KEYS)).entries())
                .isEmpty();
    }

    @Test
    void aLongSentenceIsWrappedInTheTemplate() {
        String introduction = "word ".repeat(50).strip();

        assertThat(ConfTemplate.of(introduction, KEYS).lines())
                .allMatch(line -> line.length() <= 100)
                .filteredOn(line -> line.startsWith("# word"))
                .hasSize(3);
    }

    @Test
    void aTableHasARowForEveryKeyAndEscapesItsBars() {
        assertThat(KeyTables.of(KEYS))
                .startsWith("| key | value | default | reload | meaning |\n|---|---|---|---|---|\n")
                .contains("| `A.Flag` | true \\| false | `false` | no | For the tests. |\n")
                .contains("| `Token` | text | not set | no | For the tests. Secret: never shown. |\n");
    }
}
