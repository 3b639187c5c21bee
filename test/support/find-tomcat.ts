import { existsSync } from "node:fs";
import { findProgram } from "./find-program.ts";

/** The Debian packages of a Java server. */
export const tomcatPackages = ["tomcat10", "default-jre-headless"];

/** Where Debian installs it. Throws if it is not there. */
export function findTomcat(): { java: string; home: string } {
  const home = "/usr/share/tomcat10";
  if (!existsSync(`${home}/bin/bootstrap.jar`)) throw new Error("Tomcat is not installed.");
  return { java: findProgram("java"), home };
}
