package io.belfry.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class GeneratedFilesTest {
    @Test
    void theGeneratedFilesAreUpToDate() throws IOException {
        for (GeneratedFiles file : GeneratedFiles.values()) {
            if (Boolean.getBoolean("belfry.generate")) file.write();
            assertThat(file.written())
                    .as("%s; after a change of a key run: %s", file.file(), GeneratedFiles.COMMAND)
                    .isEqualTo(file.text());
        }
    }

    @Test
    void everyKeyIsDocumentedWithOneSentence() {
        for (ConfigKey key : ConfigKey.values()) {
            assertThat(GeneratedFiles.DOCUMENT.text()).contains("| `" + key.keyName() + "` |");
            assertThat(key.sentence()).as(key.keyName()).matches("[A-Z].*\\.").doesNotContain("\n");
        }
    }
}
