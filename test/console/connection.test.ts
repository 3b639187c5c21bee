import { beforeAll } from "bun:test";
import type { Response } from "playwright-core";
import { eventually } from "../support/eventually.ts";
import { patienceMs, useConsole } from "../support/use-console.ts";

const user = useConsole();
const { check, press, see } = user;
const root = "/v1/accounts/default";

beforeAll(async () => {
  await user.server.client.post(`${root}/key-buckets/main/consumers`, { name: "acme" });
}, patienceMs);

check("after a lost connection the page keeps its input and continues, with its live stream", async () => {
  const { page, server } = user;
  const { port } = new URL(server.url);
  const lost = () => page.getByText("Connection lost. Reconnecting…");
  await user.show("/consumers?new=true");
  const context = await page
    .context()
    .browser()!
    .newContext({ storageState: await page.context().storageState() });
  const live = await context.newPage();
  const isStream = (response: Response) => response.headers()["content-type"] === "text/event-stream";
  try {
    const opened = live.waitForResponse(isStream);
    await live.goto(`${server.url}/console/requests`);
    await opened;
    const name = page.getByRole("dialog").getByLabel("Name", { exact: true });
    await name.fill("globex");
    await server.halt();
    await live.getByText("Connection lost. Reconnecting…").waitFor();
    const reopened = live.waitForResponse(isStream);
    // The first attempt notices that the connection is lost, and the second one waits.
    await press("Create consumer");
    await lost().waitFor();
    await page.getByRole("dialog").getByRole("alert").first().waitFor();
    await press("Create consumer");
    await user.until(
      async () => await page.getByRole("button", { name: "Create consumer" }).last().isDisabled(),
      "the save to wait",
    );
    await eventually(() => name.inputValue()).toBe("globex");
    await server.restart({ TOLLGATE_PORT: port });
    await lost().waitFor({ state: "detached" });
    // The new key.
    await see("I have stored it");
    await reopened;
    await live.getByText(/onnection (was )?lost/).waitFor({ state: "detached" });
    // The restart causes connection errors, which are expected.
    user.takeErrors();
  } finally {
    await context.close();
  }
});
