import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { accessibilityProblemsOfThemes, desktop, misfits, type OpenConsole, openConsole, phone } from "./console.ts";
import { eventually } from "./eventually.ts";
import type { ServerOptions, TestServer } from "./server.ts";
import { patiently } from "./slowdown.ts";
import { until } from "./until.ts";

/** Browsers are slow on a busy machine. */
export const patienceMs = patiently(120_000);
const soon = { withinMs: patienceMs / 2 };

type Text = string | RegExp;

/** The console of one server for all tests of a file, signed in as admin, with the actions of a person. */
export class ConsoleUser {
  #console: OpenConsole | undefined;

  async open(options?: ServerOptions): Promise<void> {
    this.#console = await openConsole(options);
    // Relative times use the browser's clock.
    this.server.clock.set(new Date().toISOString());
    await this.signIn();
  }

  async close(): Promise<void> {
    await this.#console?.close();
  }

  get #opened(): OpenConsole {
    if (!this.#console) throw new Error("The console is not open yet.");
    return this.#console;
  }

  get page(): Page {
    return this.#opened.page;
  }

  get server(): TestServer {
    return this.#opened.server;
  }

  get errors(): OpenConsole["errors"] {
    return this.#opened.errors;
  }

  /** The page's requests in this test. */
  get requests(): string[] {
    return this.#opened.requestedUrls;
  }

  /** The address below the server's, with its query. */
  get path(): string {
    const { pathname, search } = new URL(this.page.url());
    return pathname + search;
  }

  show = (path: string) => this.#opened.show(path);
  visit = (path: string) => this.#opened.visit(path);
  signIn = (token?: string) => this.#opened.signIn(token);
  loseSession = () => this.#opened.loseSession();
  see = (text: Text) => this.page.getByText(text).filter({ visible: true }).first().waitFor();
  press = (name: Text) => this.page.getByRole("button", { name }).first().click();
  /** Presses a button that the role does not allow, which shows the reason. */
  pressDenied = async (name: Text) => {
    const button = this.page.getByRole("button", { name }).first();
    await eventually(() => button.getAttribute("aria-disabled")).toBe("true");
    await button.click({ force: true });
  };
  type = (label: Text, text: string) => this.page.getByLabel(label).first().fill(text);
  /** Adds a filter of the list, from its menu. */
  filter = (label: string, value: string) => addFilter(this.page, label, value);
  menu = (name: Text) => this.page.getByRole("menuitem", { name }).click();
  /** Presses a button in the open dialog, which often has the same label as one behind it. */
  confirm = (name: string) =>
    this.page.getByRole("dialog").last().getByRole("button", { name, exact: true }).last().click();
  count = (text: Text) => this.page.getByText(text).filter({ visible: true }).count();
  gone = (text: Text) => until(async () => (await this.count(text)) === 0, { ...soon, what: () => `${text} to go` });
  until = (condition: () => boolean | Promise<boolean>, what = "it") => until(condition, { ...soon, what: () => what });

  /** Expects responses with these statuses; any other error, or their absence, fails the test. */
  expectStatus = (...statuses: number[]) => this.#opened.errors.expect(...statuses);

  /** Forgets the errors of the page so far, which the test has caused. */
  takeErrors = () => this.#opened.errors.take();

  /**
   * A test that fails when the page reports an error, violates its content security policy, or calls another server.
   */
  check = (name: string, work: () => Promise<void>, withinMs = patienceMs) =>
    test(
      name,
      async () => {
        await withErrors(this.#opened, work);
      },
      withinMs,
    );

  /** Expects no findings of axe on the current page in either theme. */
  async expectAccessible(): Promise<void> {
    expect(await accessibilityProblemsOfThemes(this.page)).toEqual({ light: [], dark: [] });
  }

  /** Expects that nothing overflows in a window as narrow as a phone. */
  async expectNarrow(paths: string[]): Promise<void> {
    await this.page.setViewportSize(phone);
    try {
      await this.show(paths[0]!);
      for (const path of paths) {
        await this.visit(path);
        expect({ path, misfits: await misfits(this.page) }).toEqual({ path, misfits: [] });
      }
    } finally {
      await this.page.setViewportSize(desktop);
    }
  }
}

/** Adds a filter, whose field is in view if it is the list's first one, or changes it by its chip. */
export async function addFilter(page: Page, label: string, value: string): Promise<void> {
  const control = page.getByLabel(`Filter by ${label.toLowerCase()}`, { exact: true });
  const chip = page.locator(".chip").getByRole("button", { name: `${label}: ` });
  if (await chip.isVisible()) await chip.click();
  else if (!(await control.isVisible())) {
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByRole("menuitem", { name: label, exact: true }).click();
  }
  await control.waitFor();
  if ((await control.evaluate((element) => (element as { tagName: string }).tagName)) === "SELECT")
    return void (await control.selectOption(value));
  await control.fill(value);
  await control.press("Enter");
}

/** Runs a test's work, and fails it if the page had errors meanwhile. */
export async function withErrors(console: OpenConsole, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const found = console.errors.take();
    if (error instanceof Error && found.length > 0) error.message += `\nIn the page: ${found.join("\n")}`;
    throw error;
  }
  expect(console.errors.take()).toEqual([]);
  const isOwn = (url: string) => url.startsWith(`${console.server.url}/`) || url.startsWith("data:");
  expect(console.requestedUrls.splice(0).filter((url) => !isOwn(url))).toEqual([]);
}

export function useConsole(options?: ServerOptions): ConsoleUser {
  const user = new ConsoleUser();
  beforeAll(() => user.open(options), patienceMs);
  afterAll(() => user.close(), patienceMs);
  return user;
}
