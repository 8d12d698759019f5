package io.belfry.plan.coefficient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.plan.coefficient.Coefficient.Basis;
import io.belfry.plan.input.Nonsense;
import io.belfry.plan.input.Trouble;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class CoefficientsFileTest {
    @Test
    void eachOfOursHasASourceAndADate() throws IOException {
        assertThat(CoefficientsFile.ours().list())
                .hasSize(Factor.values().length)
                .allSatisfy(each -> {
                    assertThat(each.date()).matches("2026-\\d\\d-\\d\\d");
                    assertThat(each.source()).isNotBlank();
                    assertThat(each.what()).isNotBlank();
                });
    }

    @Test
    void whatIsWrittenCanBeReadAgain() throws IOException {
        Coefficients ours = CoefficientsFile.ours();
        assertThat(CoefficientsFile.parse(CoefficientsFile.write(ours)).list()).isEqualTo(ours.list());
    }

    @Test
    void oneOfTheCommandLineStandsAboveTheFile() throws IOException {
        Coefficients changed = CoefficientsFile.ours().with(List.of("cpu-delivery=6.5"));
        assertThat(changed.value(Factor.CPU_DELIVERY)).isEqualTo(6.5);
        assertThat(changed.of(Factor.CPU_DELIVERY).basis()).isEqualTo(Basis.GIVEN);
    }

    @Test
    void whatIsWrongWithAFileIsSaidWithACode() throws IOException {
        String ours = CoefficientsFile.write(CoefficientsFile.ours());
        refused("{", Trouble.BAD_COEFFICIENTS);
        refused("{\"format\" : 2}", Trouble.BAD_COEFFICIENTS);
        refused("{\"format\" : 1, \"coefficients\" : []}", Trouble.BAD_COEFFICIENTS);
        refused(ours.replace("\"cpu-ping\"", "\"cpu-pong\""), Trouble.UNKNOWN_COEFFICIENT);
        refused(ours.replaceFirst("\"unit\" : \"us\"", "\"unit\" : \"ms\""), Trouble.BAD_COEFFICIENTS);
        refused(ours.replaceFirst("\"value\" : [0-9.]+", "\"value\" : -1"), Trouble.BAD_COEFFICIENTS);
        refused(ours.replaceFirst("\"source\" : \"[^\"]*\"", "\"source\" : \"\""), Trouble.BAD_COEFFICIENTS);
        refused(ours.replaceFirst("\"basis\" : \"measured\"", "\"basis\" : \"felt\""), Trouble.BAD_COEFFICIENTS);
    }

    private static void refused(String file, Trouble trouble) {
        assertThatThrownBy(() -> CoefficientsFile.parse(file))
                .isInstanceOfSatisfying(
                        Nonsense.class, wrong -> assertThat(wrong.trouble()).isEqualTo(trouble));
    }

    @Test
    void whatIsNoSettingIsRefused() throws IOException {
        Coefficients ours = CoefficientsFile.ours();
        assertThatThrownBy(() -> ours.with(List.of("cpu-pong=1"))).isInstanceOf(Nonsense.class);
        assertThatThrownBy(() -> ours.with(List.of("cpu-ping"))).isInstanceOf(Nonsense.class);
        assertThatThrownBy(() -> ours.with(List.of("cpu-ping=-1"))).isInstanceOf(Nonsense.class);
    }
}
