// Builds the page as one file: script and style are put into the markup, because the page is kept in the
// program's binary and in one-file results, where there is nobody to ask for a second file.

import { defineConfig, type Plugin } from 'vite';

function singleFile(): Plugin {
  return {
    name: 'single-file',
    enforce: 'post',
    generateBundle(_, bundle) {
      const page = bundle['index.html'];
      if (page?.type !== 'asset') throw new Error('the build has no index.html');
      let markup = String(page.source);
      for (const [name, part] of Object.entries(bundle)) {
        if (part === page) continue;
        const text = part.type === 'chunk' ? part.code : String(part.source);
        // A closing tag inside a string would end the element.
        const element = part.type === 'chunk'
          ? `<script type="module">${text.replaceAll('</script', '<\\/script')}</script>`
          : `<style>${text}</style>`;
        const tag = new RegExp(`<(?:script|link)[^>]*${name.replaceAll('.', '\\.')}"[^>]*>(?:</script>)?`);
        if (!tag.test(markup)) throw new Error(`${name} is not mentioned in the page`);
        if (part.type === 'chunk') {
          // After the data: the script looks for it when it starts.
          markup = markup.replace(tag, '').replace('</body>', () => `${element}\n</body>`);
        } else {
          markup = markup.replace(tag, () => element);
        }
        delete bundle[name];
      }
      page.source = markup;
    },
  };
}

export default defineConfig({
  plugins: [singleFile()],
  build: {
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    chunkSizeWarningLimit: 1000,
    reportCompressedSize: false,
  },
});
