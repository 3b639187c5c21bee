import { packFolder } from "../../client/deploy/folder.ts";
import { bytes } from "../output/show.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { bundlePackages, packageSizes } from "./bundle-packages.ts";

/**
 * Creates the archive of a project with the packages that its modules import. Prints their sizes. Throws PackageErrors.
 */
export async function packProject(folder: string, terminal: Terminal): Promise<Blob> {
  const packages = await bundlePackages(folder);
  const sizes = packageSizes(packages).map((size) => `${size.name} ${bytes(size.bytes)}`);
  if (sizes.length > 0) terminal.note(`Packages: ${sizes.join(", ")}`);
  return packFolder(
    folder,
    packages.files.map(({ path, content }) => ({ path, data: content })),
  );
}
