package io.belfry.attack.attacks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.attack.attacks.SmugglingCorpus.Case;
import io.belfry.attack.attacks.SmugglingCorpus.Expected;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class SmugglingCorpusTest {
    @Test
    void escapesStandForWhatCannotBeSeen() {
        assertThat(SmugglingCorpus.parse(
                                "# head\n\n== a name: refused\nGET\\t/\\x0b\\\\\\0\\r\\n\n# no line\nX: y\\n\n")
                        .cases())
                .containsExactly(new Case("a name", Expected.REFUSED, "GET\t/\u000b\\\0\r\nX: y\n"));
    }

    @Test
    void aCaseWithoutExpectationIsAnError() {
        assertThatThrownBy(() -> SmugglingCorpus.parse("== a name\nx\n")).hasMessageContaining("== name: expectation");
    }

    @Test
    void theCorpusHasManyCasesOfDifferentNamesAndSomeHonestOnes() throws IOException {
        assertThat(SmugglingCorpus.load().cases())
                .hasSizeGreaterThan(50)
                .extracting(Case::name)
                .doesNotHaveDuplicates();
        assertThat(SmugglingCorpus.load().cases())
                .extracting(Case::expected)
                .contains(Expected.ONE, Expected.TWO, Expected.REFUSED);
    }

    @Test
    void everyRequestIsSentFromItsFirstByteToItsLast() throws IOException {
        assertThat(SmugglingCorpus.load().cases())
                .allSatisfy(each -> assertThat(each.text()).contains("HTTP/").endsWith("\n"));
    }
}
