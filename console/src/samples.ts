/** The values of the forms of the page Try. */
export interface Call {
  readonly server: string;
  readonly http: string;
  readonly subject: string;
  readonly data: string;
  readonly retain: boolean;
  readonly history: number;
  readonly token: boolean;
}

export const LANGUAGES = ["curl", "JavaScript", "Python", "Java"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Quotes a text as a string literal that is valid in JavaScript, Python and Java. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(/[\u007f-\u{10ffff}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
      .join(""),
  );

/** Quotes a text for a POSIX shell. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const parameter = (subject: string) => encodeURIComponent(subject).replaceAll("%2F", "/").replaceAll("*", "%2A");

/** Returns a program that subscribes and publishes with the values of the page. */
export function sample(language: Language, call: Call): string {
  const { server, http, data, retain, token } = call;
  const subject = quoted(call.subject);
  const history = call.subject.includes("*") ? 0 : call.history;
  switch (language) {
    case "curl": {
      const header = token ? ' -H "Authorization: Bearer $TOKEN"' : "";
      const latest = history ? `&history=${history}` : "";
      return `# subscribe
curl -N${header} ${shellQuoted(`${http}/subscribe?subject=${parameter(call.subject)}${latest}`)}

# publish, in another terminal
curl${header} --data-binary ${shellQuoted(data.startsWith("@") ? ` ${data}` : data)} \\
  ${shellQuoted(`${http}/publish?subject=${parameter(call.subject)}${retain ? "&retain=true" : ""}`)}
`;
    }
    case "JavaScript":
      return `import { connect } from "belfry-client";

const client = connect({ servers: ${quoted(server)}${token ? ", token: process.env.TOKEN" : ""} });
const messages = client.subscribe(${subject}${history ? `, { history: ${history} }` : ""});
await client.publish(${subject}, ${quoted(data)}${retain ? ", { retain: true }" : ""});
for await (const item of messages) {
  if (item.kind === "gap") console.log("missing from", item.from, "to", item.to, item.reason);
  else console.log(item.position, item.data);
}
`;
    case "Python":
      return `import asyncio
import os
import belfry

async def main() -> None:
    async with belfry.connect(${quoted(server)}${token ? ', token=os.environ["TOKEN"]' : ""}) as client:
        async with client.subscribe(${subject}${history ? `, history=${history}` : ""}, decode=belfry.text) as messages:
            await client.publish(${subject}, ${quoted(data)}${retain ? ", retain=True" : ""})
            async for item in messages:
                print(item)

asyncio.run(main())
`;
    case "Java":
      return `try (BelfryClient client = BelfryClient.builder()
        .server(${quoted(server)})${token ? '\n        .token(System.getenv("TOKEN"))' : ""}
        .build()
        .start()) {
    client.subscribe(${subject}, message -> System.out.println(message.position() + " " + message.text())${history ? `,\n            SubscribeOptions.history(${history})` : ""});
    client.publish(${subject}, ${quoted(data)}${retain ? ".getBytes(StandardCharsets.UTF_8), PublishOptions.RETAIN" : ""}).get();
    Thread.sleep(60_000);
}
`;
  }
}
