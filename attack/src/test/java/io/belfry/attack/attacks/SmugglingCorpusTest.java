package io.belfry.attack.attacks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.attack.attacks.InvalidRequests.Case;
import io.belfry.attack.attacks.InvalidRequests.Expected;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class SmugglingCorpusTest {
    @Test
    void escapesStandForControlCharacters() {
        assertThat(InvalidRequests.parse(
                        "# head\n\n== a name: refused\nGET\\t/\\013\\\\\\0\\r\\n\n# no line\nX: y\\n\n"))
                .containsExactly(new Case("a name", Expected.REFUSED, "GET\t/\u000b\\\0\r\nX: y\n"));
    }

    @Test
    void aCaseWithoutExpectationIsRejected() {
        assertThatThrownBy(() -> InvalidRequests.parse("== a name\nx\n")).hasMessageContaining("== name: expectation");
    }

    @Test
    void theCorpusHasUniqueNamesAndValidRequests() throws IOException {
        assertThat(InvalidRequests.corpus())
                .hasSizeGreaterThan(50)
                .extracting(Case::name)
                .doesNotHaveDuplicates();
        assertThat(InvalidRequests.corpus())
                .extracting(Case::expected)
                .contains(Expected.ONE, Expected.TWO, Expected.REFUSED);
    }

    @Test
    void everyRequestIsComplete() throws IOException {
        assertThat(InvalidRequests.corpus())
                .allSatisfy(each -> assertThat(each.text()).contains("HTTP/").endsWith("\n"));
    }
}
