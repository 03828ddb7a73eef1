/** The hosted page's address as others may have it: that of the checkout alone, no token and nothing that this page was opened with. */
export function pageToShare(page: string): string {
  const { origin, pathname } = new URL(page, document.baseURI);
  return origin + pathname;
}

/** Hands a link to whatever the buyer shares with. @returns false where this browser cannot, or may not in this frame. */
export async function shareLink(url: string, text: string): Promise<boolean> {
  try {
    await navigator.share({ text, url });
    return true;
  } catch (error) {
    // The buyer closed the list: that is an answer, too.
    return (error as Error | null)?.name === 'AbortError';
  }
}
