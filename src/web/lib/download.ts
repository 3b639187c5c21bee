/** Saves a file in the browser's folder for downloads. */
export function download(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // By then the download has copied the data.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
