import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findTomcat } from "./find-tomcat.ts";
import { freePort } from "./free-port.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";
import { until } from "./until.ts";

/** As lenient as Tomcat can be configured: slashes and backslashes may be encoded, and backslashes are slashes. */
const serverXml = (port: number) => `<Server port="-1">
  <Service name="Catalina">
    <Connector port="${port}" address="127.0.0.1" protocol="HTTP/1.1" maxThreads="4" allowBackslash="true"
      encodedSolidusHandling="decode" relaxedPathChars="&#92;" />
    <Engine name="Catalina" defaultHost="localhost">
      <Host name="localhost" appBase="webapps" autoDeploy="false" />
    </Engine>
  </Service>
</Server>
`;

const webXml = `<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="5.0">
  <servlet><servlet-name>served</servlet-name><jsp-file>/served.jsp</jsp-file></servlet>
  <servlet-mapping><servlet-name>served</servlet-name><url-pattern>/*</url-pattern></servlet-mapping>
</web-app>
`;

/** Tomcat selects servlets by this path, which frameworks read too. */
const servedJsp = `<%@ page session="false" %><%
  String path = request.getServletPath() + (request.getPathInfo() == null ? "" : request.getPathInfo());
  response.setHeader("x-served", new java.net.URI(null, null, path, null).getRawPath());
%>done`;

/** A Tomcat that responds with `x-served`: the path by which it selects servlets. */
export class Tomcat {
  private constructor(
    private readonly java: Bun.Subprocess,
    private readonly folder: TemporaryFolder,
    readonly port: number,
  ) {}

  static async start(): Promise<Tomcat> {
    const { java, home } = findTomcat();
    const folder = await temporaryFolder("tomcat");
    const port = await freePort();
    const files: Record<string, string> = {
      "conf/server.xml": serverXml(port),
      "conf/web.xml": `<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="5.0">
        <servlet><servlet-name>jsp</servlet-name><servlet-class>org.apache.jasper.servlet.JspServlet</servlet-class></servlet>
        <servlet-mapping><servlet-name>jsp</servlet-name><url-pattern>*.jsp</url-pattern></servlet-mapping>
      </web-app>`,
      "webapps/ROOT/WEB-INF/web.xml": webXml,
      "webapps/ROOT/served.jsp": servedJsp,
    };
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(folder.path, name, ".."), { recursive: true });
      await writeFile(join(folder.path, name), text);
    }
    await mkdir(join(folder.path, "temp"));
    const options = [
      "-Xmx128m",
      "-XX:TieredStopAtLevel=1",
      `-Dcatalina.home=${home}`,
      `-Dcatalina.base=${folder.path}`,
    ];
    const classPath = ["bootstrap.jar", "tomcat-juli.jar"].map((name) => join(home, "bin", name)).join(":");
    const process = Bun.spawn(
      [
        java,
        ...options,
        `-Djava.io.tmpdir=${folder.path}/temp`,
        "-cp",
        classPath,
        "org.apache.catalina.startup.Bootstrap",
        "start",
      ],
      { stdout: "ignore", stderr: "ignore" },
    );
    const tomcat = new Tomcat(process, folder, port);
    await until(() => tomcat.#responds(), { what: "Tomcat to start" });
    return tomcat;
  }

  async #responds(): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${this.port}/`)).ok;
    } catch {
      return false;
    }
  }

  async stop(): Promise<void> {
    this.java.kill();
    await this.java.exited;
    await this.folder.remove();
  }
}
