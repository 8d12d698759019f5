package io.belfry.attack.attacks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.attack.attacks.InvalidRequests.Case;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class SmugglingCorpusTest {
    @Test
    void escapesStandForControlCharacters() {
        assertThat(InvalidRequests.parse(
                        "# head\n\n== a name: refused\nGET\\t/\\013\\\\\\0\\r\\n\n# no line\nX: y\\n\n"))
                .containsExactly(new Case("a name", 0, "GET\t/\u000b\\\0\r\nX: y\n"));
    }

    @Test
    void aCaseWithoutExpectationIsRejected() {
        assertThatThrownBy(() -> InvalidRequests.parse("== a name\nx\n")).hasMessageContaining("== name: expectation");
        assertThatThrownBy(() -> InvalidRequests.parse("== a name: three\nx\n"))
                .hasMessageContaining("== name: expectation");
    }

    @Test
    void theCorpusHasUniqueNamesAndValidRequests() throws IOException {
        assertThat(InvalidRequests.corpus())
                .hasSizeGreaterThan(50)
                .extracting(Case::name)
                .doesNotHaveDuplicates();
        assertThat(InvalidRequests.corpus()).extracting(Case::responses).contains(0, 1, 2);
    }

    @Test
    void everyRequestIsComplete() throws IOException {
        assertThat(InvalidRequests.corpus())
                .allSatisfy(each -> assertThat(each.text()).contains("HTTP/").endsWith("\n"));
    }
}
