package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.testsupport.RequiredPrograms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Runs the commands of docs/how-to/use-the-server-api.md. */
final class ServerApiDocTest {
    private static final Pattern COMMANDS = Pattern.compile("(?ms)^```sh\\n(.*?)^```");
    private static final String KEY = "0123456789abcdef0123456789abcdef";

    private static String output(String script, int port) {
        String variables = "API=http://127.0.0.1:" + port + "\nKEY=" + KEY + "\n";
        try (Tool tool = Tool.start(TestMachine.target(), Map.of(), List.of("sh", "-ec", variables + script))) {
            return tool.await().wellDone();
        }
    }

    @Test
    void theCommandsOfTheGuideWork() throws IOException {
        RequiredPrograms.require("Debian: apt install curl", "curl");
        Path keys = Files.createTempFile(TestMachine.target(), "api", ".keys");
        Files.writeString(keys, "backend publish,read,act " + KEY + "\n");
        String page = Files.readString(TestMachine.root().resolve("docs/how-to/use-the-server-api.md"));
        List<String> scripts =
                COMMANDS.matcher(page).results().map(found -> found.group(1)).toList();
        assertThat(scripts).hasSize(6);
        try (ServerInJvm server = ServerInJvm.start("Api.Listen=127.0.0.1:0", "Api.KeyFile=" + keys)) {
            assertThat(output(scripts.get(0), server.apiPort())).contains("\"subject\":\"/orders/7\"", "\"seq\":1");
            List<String> batch =
                    output(scripts.get(1), server.apiPort()).lines().toList();
            assertThat(batch).hasSize(3);
            assertThat(batch.get(1)).contains("wildcard-not-allowed");
            assertThat(batch.get(2)).contains("\"seq\":1");
            assertThat(output(scripts.get(2), server.apiPort())).contains("/users/bob/inbox");
            assertThat(output(scripts.get(3), server.apiPort()))
                    .contains("/prices/gbp", "\"data\":\"packed\"", "\"sessions\":[]", "\"ready\":true");
            assertThat(output(scripts.get(4), server.apiPort())).contains("\"subject\":\"/orders/7\"", "\"seq\":2");
            assertThat(output(scripts.get(5), server.apiPort())).contains("\"disconnected\":0");
        }
    }
}
