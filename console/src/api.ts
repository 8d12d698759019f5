const BASE = "/console/api/";

/** An error response of the server, or a missing response (`unreachable`). */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: string;
  readonly status: number;

  constructor(status: number, code: string, reason: string) {
    super(reason);
    this.status = status;
    this.code = code;
  }
}

/** Sends the event `unauthorized` when the server no longer accepts the login. */
export const logins = new EventTarget();

/** Sends a request; throws an `ApiError` unless the request succeeds. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(BASE + path, { cache: "no-store", credentials: "same-origin", ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, "unreachable", "The server does not answer.");
  }
  if (response.ok) return response;
  let code = `http-${response.status}`;
  let reason = response.statusText;
  try {
    const body = (await response.json()) as { code?: unknown; reason?: unknown };
    if (typeof body.code === "string") code = body.code;
    if (typeof body.reason === "string") reason = body.reason;
  } catch {
    // A proxy may answer with an HTML page instead of JSON. The error then has only the status.
  }
  if (response.status === 401) logins.dispatchEvent(new Event("unauthorized"));
  throw new ApiError(response.status, code, reason);
}

export async function get<T>(
  path: string,
  parameters: { readonly [name: string]: string | number } = {},
  signal?: AbortSignal,
): Promise<T> {
  const query = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]));
  const suffix = query.size ? `?${query}` : "";
  const response = await request(path + suffix, signal ? { signal } : {});
  return (await response.json()) as T;
}

export async function post<T>(path: string, body: object): Promise<T | undefined> {
  const response = await request(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.status === 204 ? undefined : ((await response.json()) as T);
}

/** Describes a failure in one line. */
export const describe = (error: unknown): string =>
  error instanceof ApiError ? `${error.code}: ${error.message}` : String(error);
