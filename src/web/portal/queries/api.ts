import { type UseQueryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { TollgateError } from "../../../client/index.ts";
import { type Operations, routes } from "../../../client/transport/portal-schema.gen.ts";
import { toast } from "../../components/toasts.ts";
import { withConnection } from "../../lib/connection.ts";
import { messageOf } from "../../lib/errors.ts";

type Input<Name extends keyof Operations> = {
  params?: Operations[Name]["params"];
  query?: Operations[Name]["query"];
  body?: Operations[Name]["body"];
  signal?: AbortSignal;
};

/** Calls an operation of the portal with the session's cookie. Throws a TollgateError. */
export async function call<Name extends keyof Operations>(
  name: Name,
  { params = {}, query = {}, body, signal }: Input<Name> = {},
): Promise<Operations[Name]["response"]> {
  const [method, template] = routes[name].split(" ") as [string, string];
  const path = template.replaceAll(/\{(\w+)\}/g, (_, parameter: string) =>
    encodeURIComponent(String((params as Record<string, unknown>)[parameter])),
  );
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([key, value]) => [key, String(value)]));
  const response = await send(given.length === 0 ? path : `${path}?${search}`, {
    method,
    cache: "no-store",
    ...(signal ? { signal } : {}),
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  if (response.status === 204) return undefined as Operations[Name]["response"];
  const content = await response.json().catch(() => undefined);
  if (response.ok) return content;
  const { code = "unexpected_answer", detail = "The portal did not respond as expected.", errors } = content ?? {};
  throw new TollgateError({ status: response.status, code, detail, errors });
}

const watchedFetch = withConnection((path: string, init) => fetch(path, init));

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await watchedFetch(path, init);
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new TollgateError({ status: 0, code: "network", detail: "The portal cannot be reached.", cause });
  }
}

type ReadOptions<Name extends keyof Operations> = Omit<Input<Name>, "signal"> &
  Omit<UseQueryOptions<Operations[Name]["response"], Error>, "queryKey" | "queryFn">;

/** Reads with an operation of the portal. The key of the query is its name, then its input if it has one. */
export function useRead<Name extends keyof Operations>(
  name: Name,
  { params, query, body, ...options }: ReadOptions<Name> = {},
) {
  const input = { params, query, body } as Input<Name>;
  const queryKey = [name, ...[params, query, body].filter((each) => each !== undefined)];
  return useQuery({ ...options, queryKey, queryFn: ({ signal }) => call(name, { ...input, signal }) });
}

/** An action of a button, whose error is a toast. */
export const useAction = <Variables = void, Result = unknown>(
  mutationFn: (variables: Variables) => Promise<Result>,
  onSuccess?: (result: Result) => unknown,
) => useMutation({ mutationFn, onSuccess, onError: (error) => toast(messageOf(error), "red") });
