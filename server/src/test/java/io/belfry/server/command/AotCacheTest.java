package io.belfry.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AotCacheTest {
    @TempDir
    Path home;

    private AotCache cache;

    @BeforeEach
    void folder() throws IOException {
        Files.createDirectories(home.resolve("server/target"));
        cache = AotCache.of(home, "throughput");
    }

    private void record() throws IOException {
        Files.writeString(cache.unfinished(), "classes");
        assertThat(cache.replace()).isTrue();
    }

    @Test
    void aRecordedCacheIsUsed() throws IOException {
        assertThat(cache.isCurrent()).isFalse();
        assertThat(cache.options()).isEmpty();
        record();
        assertThat(cache.isCurrent()).isTrue();
        assertThat(cache.options())
                .first()
                .isEqualTo("-XX:AOTCache=" + home.resolve("server/target/belfry-throughput.aot"));
    }

    @Test
    void aCacheOfAnotherBuildIsNotCurrent() throws IOException {
        record();
        assertThat(new AotCache(cache.file(), cache.builtFrom() + "another.jar 1 2\n").isCurrent())
                .isFalse();
    }

    @Test
    void aCacheIsUsedWithFurtherJarsAndNotWithOthers() throws IOException {
        record();
        assertThat(new AotCache(cache.file(), cache.builtFrom() + "another.jar 1 2\n").options())
                .first()
                .isEqualTo("-XX:AOTCache=" + cache.file());
        assertThat(new AotCache(cache.file(), "another build\n").options())
                .containsExactly("-Dbelfry.aot.outdated=" + cache.file());
    }

    @Test
    void aCacheWithoutADescriptionIsNotUsed() throws IOException {
        Files.writeString(cache.file(), "classes");
        assertThat(cache.options()).containsExactly("-Dbelfry.aot.outdated=" + cache.file());
    }

    @Test
    void eachProfileHasItsOwnCache() throws IOException {
        record();
        assertThat(AotCache.of(home, "low-pause").isCurrent()).isFalse();
    }

    @Test
    void aFailedRecordingIsNotRepeatedAndRemovesTheOldCache() throws IOException {
        record();
        assertThat(cache.replace()).isFalse();
        assertThat(cache.isCurrent()).isTrue();
        assertThat(cache.options()).isEmpty();
    }

    @Test
    void theEnvironmentDecidesWhetherACacheIsUsedOrRecorded() {
        assertThat(AotCache.wanted(Map.of())).isTrue();
        assertThat(AotCache.wanted(Map.of("BELFRY_AOT_CACHE", "off"))).isFalse();
        assertThat(AotCache.wanted(Map.of("BELFRY_AOT_CACHE", "keep"))).isTrue();
        assertThat(AotCache.mayBeRecorded(Map.of())).isTrue();
        assertThat(AotCache.mayBeRecorded(Map.of("BELFRY_AOT_CACHE", "keep"))).isFalse();
    }

    @Test
    void optionsWithWhichTheJvmWouldNotStartExcludeTheCache() {
        assertThat(AotCache.wanted(Map.of("BELFRY_JAVA_OPTIONS", "-Xlog:gc -Xshare:auto")))
                .isFalse();
        assertThat(AotCache.wanted(Map.of("JAVA_TOOL_OPTIONS", "-XX:SharedArchiveFile=x")))
                .isFalse();
        assertThat(AotCache.wanted(Map.of("JDK_JAVA_OPTIONS", "-XX:AOTMode=off")))
                .isFalse();
        assertThat(AotCache.wanted(Map.of("BELFRY_JAVA_OPTIONS", "-Xmx1g"))).isTrue();
    }
}
