import { afterAll, beforeAll, expect, test } from "bun:test";
import { accessibilityProblems, type OpenConsole, openConsole } from "./console.ts";
import type { ServerOptions } from "./server.ts";

/** A busy machine takes its time with a browser. */
export const patienceMs = 60_000;

/** What a person does at the console, in words. */
export interface ConsoleSteps {
  /** Once the tests run. */
  readonly console: OpenConsole;
  see(text: string | RegExp): Promise<void>;
  press(name: string | RegExp): Promise<void>;
  /** Presses a button of the dialog that is open. */
  pressInDialog(name: string | RegExp): Promise<void>;
  type(label: string | RegExp, text: string): Promise<void>;
  choose(label: string | RegExp, option: string): Promise<void>;
  openTab(name: string): Promise<void>;
  /** Of the list or table with that caption: the text of each row. */
  rows(caption: string): Promise<string[]>;
}

/** A console of its own server, signed in, for all tests of the file. */
export function useConsole(options?: ServerOptions): ConsoleSteps {
  let console: OpenConsole;
  beforeAll(async () => {
    console = await openConsole(options);
    console.server.clock.set(new Date().toISOString());
    await console.signIn();
    await console.show("/settings");
  }, patienceMs);
  afterAll(() => console?.close(), patienceMs);
  return {
    get console() {
      return console;
    },
    see: (text) => console.page.getByText(text).first().waitFor(),
    press: (name) => console.page.getByRole("button", { name }).first().click(),
    pressInDialog: (name) => console.page.getByRole("dialog").getByRole("button", { name }).last().click(),
    type: (label, text) => console.page.getByLabel(label).first().fill(text),
    choose: async (label, option) => void (await console.page.getByLabel(label).first().selectOption(option)),
    openTab: (name) => console.page.getByRole("tab", { name }).click(),
    rows: (caption) => console.page.getByRole("table", { name: caption }).locator("tbody tr").allInnerTexts(),
  };
}

export const check = (name: string, work: () => Promise<void>) => test(name, work, patienceMs);

/** Both themes on each page, the width of a phone, and nothing in the browser's console. Stands at the end of a file. */
export function checkPages(steps: ConsoleSteps, pages: () => string[]): void {
  test.each(["light", "dark"])(
    "every page is accessible in the %s theme",
    async (theme) => {
      const { console } = steps;
      await console.page.evaluate(`localStorage.setItem("tollgate-theme", "${theme}")`);
      const problems: Record<string, string[]> = {};
      for (const page of pages()) {
        await console.show(page);
        const found = await accessibilityProblems(console.page);
        if (found.length > 0) problems[page] = found;
      }
      expect(problems).toEqual({});
    },
    3 * patienceMs,
  );

  check("every page fits a narrow window", async () => {
    const { console } = steps;
    await console.page.setViewportSize({ width: 360, height: 780 });
    for (const page of pages()) {
      await console.show(page);
      const overflow = await console.page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
      expect({ page, overflow }).toEqual({ page, overflow: 0 });
    }
    await console.page.setViewportSize({ width: 1280, height: 860 });
  });

  check("nothing went wrong in the browser", async () => {
    // The page itself gives up requests whose answers it no longer needs.
    expect(steps.console.errors.filter((error) => !error.endsWith("net::ERR_ABORTED"))).toEqual([]);
  });
}
