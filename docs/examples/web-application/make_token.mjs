// Prints a token (JWT, HS256): node make_token.mjs NAME SUBSCRIBE_PATTERN [PUBLISH_PATTERN]. No package is needed.
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";

const SECRET_FILE = "chat.secret";

export function token(name, subscribe, publish, seconds = 3600) {
  const secret = readFileSync(SECRET_FILE, "utf8").split("\n")[0].trim();
  const encode = value => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = encode({ alg: "HS256", typ: "JWT" }) + "." + encode({
    iss: "chat",
    sub: name,
    exp: Math.floor(Date.now() / 1000) + seconds,
    permissions: { sub: subscribe, pub: publish },
  });
  return signed + "." + createHmac("sha256", secret).update(signed).digest("base64url");
}

if (process.argv[1]?.endsWith("make_token.mjs")) {
  const [name, subscribe, publish] = process.argv.slice(2);
  console.log(token(name, [subscribe], publish ? [publish] : []));
}
