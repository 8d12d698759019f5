// An application of the hook, in the browser; test/browser/react.test.ts renders it.
import { type Client, connect } from "belfry-client";
import { useSubject } from "belfry-client/react";
import { StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";

const { url, subject } = Object.fromEntries(new URLSearchParams(location.search)) as { url: string; subject: string };
const statuses: string[] = [];

function Latest({ client }: { client: Client }) {
  const { latest, ready } = useSubject(client, subject);
  return <p className="latest">{latest?.data ?? (ready ? "ready" : "waiting")}</p>;
}

function All({ client }: { client: Client }) {
  const { messages } = useSubject(client, subject);
  return <p className="all">{messages.map(({ data }) => data).join(", ")}</p>;
}

function Page() {
  const [client, setClient] = useState<Client>();
  const [shown, setShown] = useState(true);
  useEffect(() => {
    const made = connect({ servers: url, onStatus: ({ type }) => statuses.push(type) });
    setClient(made);
    return () => void made.close();
  }, []);
  return (
    <>
      <button type="button" onClick={() => setShown(!shown)}>
        {shown ? "hide" : "show"}
      </button>
      {client && shown && <Latest client={client} />}
      {client && shown && <All client={client} />}
    </>
  );
}

const root = createRoot(document.body.appendChild(document.createElement("main")));
root.render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
Object.assign(window, { statuses, unmount: () => root.unmount() });
