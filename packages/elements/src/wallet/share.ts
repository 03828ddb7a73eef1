/** The hosted page's address for sharing: without a token or other parameters of this page. */
export function pageToShare(page: string): string {
  const { origin, pathname } = new URL(page, document.baseURI);
  return origin + pathname;
}

/**
 * Opens the share dialog.
 * @returns false if this browser or frame does not allow it
 */
export async function shareLink(url: string, text: string): Promise<boolean> {
  try {
    await navigator.share({ text, url });
    return true;
  } catch (error) {
    // The buyer closed the share dialog, which is no failure.
    return (error as Error | null)?.name === 'AbortError';
  }
}
