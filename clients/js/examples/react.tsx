// A component that shows the latest price.
import { connect, json } from "belfry-client";
import { useSubject } from "belfry-client/react";

const client = connect({ servers: "wss://a.example" });

export function Price({ symbol }: { symbol: string }) {
  const { latest, error } = useSubject<{ bid: number }>(client, `/prices/${symbol}`, { decode: json });
  if (error) return <p>{error.code}</p>;
  return <p>{latest ? latest.data.bid : "waiting"}</p>;
}
