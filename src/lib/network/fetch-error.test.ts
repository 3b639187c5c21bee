import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { fetchErrorText } from "./fetch-error.ts";

const failure = (url: string, init?: RequestInit) =>
  fetch(url, init).then(
    () => "it did not fail",
    (error: unknown) => fetchErrorText(error),
  );

test("a refused connection, a name without an address and a closed connection are described in our words", async () => {
  expect(await failure("http://127.0.0.1:1/")).toBe("the connection was refused");
  expect(await failure("http://none.invalid/")).toBe("the name has no address");
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  expect(await failure(`http://127.0.0.1:${port}/`)).toBe("the connection was closed before the end of the response");
  server.close();
});

test("a timeout and other errors keep what is known", () => {
  expect(fetchErrorText(new DOMException("The operation timed out.", "TimeoutError"))).toBe("no response in time");
  const certificate = 'certificate has expired fetching "https://x/". For more information, pass `verbose: true`';
  expect(fetchErrorText(new Error(certificate))).toBe("certificate has expired");
  expect(fetchErrorText("text")).toBe("text");
});
