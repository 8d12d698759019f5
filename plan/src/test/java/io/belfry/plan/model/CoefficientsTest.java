package io.belfry.plan.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.plan.model.Coefficient.Basis;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class CoefficientsTest {
    @Test
    void everyBuiltInCoefficientHasASourceAndADate() throws IOException {
        assertThat(Coefficients.builtIn().list()).hasSize(36).allSatisfy(each -> {
            assertThat(each.date()).matches("2026-\\d\\d-\\d\\d");
            assertThat(each.source()).isNotBlank();
            assertThat(each.what()).isNotBlank();
        });
    }

    @Test
    void aWrittenFileCanBeReadAgain() throws IOException {
        Coefficients builtIn = Coefficients.builtIn();
        assertThat(Coefficients.read(builtIn.json()).list()).isEqualTo(builtIn.list());
    }

    @Test
    void overridesReplaceValuesOfTheFile() throws IOException {
        Coefficients changed = Coefficients.builtIn().with(List.of("cpu-delivery=6.5"));
        assertThat(changed.of("cpu-delivery").value()).isEqualTo(6.5);
        assertThat(changed.of("cpu-delivery").basis()).isEqualTo(Basis.GIVEN);
    }

    @Test
    void anInvalidFileIsRejectedWithACode() throws IOException {
        String builtIn = Coefficients.builtIn().json();
        assertRejected("{", PlanError.Code.BAD_COEFFICIENTS);
        assertRejected("null", PlanError.Code.BAD_COEFFICIENTS);
        assertRejected("{\"format\" : 1, \"coefficients\" : [null]}", PlanError.Code.BAD_COEFFICIENTS);
        assertRejected("{\"format\" : 2}", PlanError.Code.BAD_COEFFICIENTS);
        assertRejected("{\"format\" : 1, \"coefficients\" : []}", PlanError.Code.BAD_COEFFICIENTS);
        assertRejected(builtIn.replace("\"cpu-ping\"", "\"cpu-pong\""), PlanError.Code.UNKNOWN_COEFFICIENT);
        assertRejected(builtIn.replaceFirst("\"unit\" : \"us\"", "\"unit\" : \"ms\""), PlanError.Code.BAD_COEFFICIENTS);
        assertRejected(builtIn.replaceFirst("\"value\" : [0-9.]+", "\"value\" : -1"), PlanError.Code.BAD_COEFFICIENTS);
        assertRejected(
                builtIn.replaceFirst("\"source\" : \"[^\"]*\"", "\"source\" : \"\""), PlanError.Code.BAD_COEFFICIENTS);
        assertRejected(
                builtIn.replaceFirst("\"basis\" : \"measured\"", "\"basis\" : \"guessed\""),
                PlanError.Code.BAD_COEFFICIENTS);
    }

    @Test
    void aCoefficientWithoutAValueOrWithTextIsRejected() throws IOException {
        String builtIn = Coefficients.builtIn().json();
        assertRejected(builtIn.replaceFirst("\"value\" : [0-9.]+,", ""), PlanError.Code.BAD_COEFFICIENTS);
        assertRejected(
                builtIn.replaceFirst("\"value\" : [0-9.]+", "\"value\" : \"5\""), PlanError.Code.BAD_COEFFICIENTS);
        assertRejected(
                builtIn.replaceFirst("\"value\" : [0-9.]+", "\"value\" : null"), PlanError.Code.BAD_COEFFICIENTS);
        assertRejected(builtIn.replaceFirst("\"date\" : \"[^\"]*\"", "\"x\" : 1"), PlanError.Code.BAD_COEFFICIENTS);
        assertRejected(builtIn.replaceFirst("\"unit\" : \"us\"", "\"unit\" : 2"), PlanError.Code.BAD_COEFFICIENTS);
    }

    private static void assertRejected(String file, PlanError.Code code) {
        assertThatThrownBy(() -> Coefficients.read(file))
                .isInstanceOfSatisfying(
                        PlanError.class, error -> assertThat(error.code()).isEqualTo(code));
    }

    @Test
    void anInvalidOverrideIsRejected() throws IOException {
        Coefficients builtIn = Coefficients.builtIn();
        assertThatThrownBy(() -> builtIn.with(List.of("cpu-pong=1"))).isInstanceOf(PlanError.class);
        assertThatThrownBy(() -> builtIn.with(List.of("cpu-ping"))).isInstanceOf(PlanError.class);
        assertThatThrownBy(() -> builtIn.with(List.of("cpu-ping=-1"))).isInstanceOf(PlanError.class);
    }
}
