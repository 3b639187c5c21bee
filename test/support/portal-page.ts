import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import type { Page } from "playwright-core";
import { accessibilityProblemsOfThemes, desktop, misfits, phone, settled } from "./console.ts";

/** For a look at the pages: set it, and every page is stored there. */
const pictures = process.env.TOLLGATE_TEST_PICTURES;

/** Nothing overflows in a narrow window or a wide one, and both themes are accessible. */
export async function checkPage(page: Page, name: string): Promise<void> {
  await settled(page);
  const problems = await accessibilityProblemsOfThemes(page);
  expect({ name, problems }).toEqual({ name, problems: { light: [], dark: [] } });
  try {
    for (const [width, size] of Object.entries({ phone, desktop })) {
      await page.setViewportSize(size);
      expect({ name, width, misfits: await misfits(page) }).toEqual({ name, width, misfits: [] });
      if (pictures) await storePictures(page, `${name}-${width}`, pictures);
    }
  } finally {
    await page.setViewportSize(desktop);
  }
}

async function storePictures(page: Page, name: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const theme of ["light", "dark"]) {
    await page.evaluate(`document.documentElement.dataset.theme = "${theme}"`);
    await page.screenshot({ path: `${folder}/${name}-${theme}.png` });
  }
}
