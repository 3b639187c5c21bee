import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "./find-program.ts";

/** In PEM. */
export interface MadeCertificate {
  certificate: string;
  key: string;
}

/** A self-signed certificate for the names. With negative days it has expired. */
export function makeCertificate(names: string[], days = 30): MadeCertificate {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-certificate-"));
  const openssl = (...words: string[]) => {
    const { exitCode, stderr } = Bun.spawnSync([findProgram("openssl"), ...words], { cwd: folder, stderr: "pipe" });
    if (exitCode !== 0) throw new Error(`openssl ${words[0]} failed: ${stderr.toString()}`);
  };
  try {
    writeFileSync(join(folder, "extensions"), `subjectAltName=${names.map(alternative).join(",")}`);
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "key.pem"];
    openssl("req", "-new", ...key, "-subj", `/O=Tests/CN=${names[0]}`, "-out", "request.pem");
    const life = ["-days", String(days), "-extfile", "extensions"];
    openssl("x509", "-req", "-in", "request.pem", "-signkey", "key.pem", ...life, "-out", "certificate.pem");
    const read = (name: string) => readFileSync(join(folder, name), "utf8");
    return { certificate: read("certificate.pem"), key: read("key.pem") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function alternative(name: string): string {
  return /^[\d.]+$/.test(name) ? `IP:${name}` : `DNS:${name}`;
}
