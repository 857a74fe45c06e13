/* Fuzzes the reader of beamwalkrc(5). What is accepted binds keys under the names that they are printed with, each once, to commands that there are; what
 * is refused leaves nothing behind and names its line. */
#include <string.h>

#include "base/text.h"
#include "target.h"
#include "ui/config.h"

static void expect_bound(const struct bw_keymap *keymap, int i)
{
	const struct bw_rebinding *bound = &keymap->list[i];
	struct bw_key key = bw_key_parse(bound->key);
	char name[BW_KEY_NAME_SIZE], left[64];
	expect(key.code != BW_KEY_NONE, "a key that is bound has a name");
	bw_key_print(key, name);
	expect(!strcmp(name, bound->key), "which is printed as it is read");
	expect(bw_binding_of(keymap, key).request == bound->request, "the key does what it is bound to");
	expect((bound->request == BW_REQUEST_RUN) == (bound->command != NULL), "a command is bound with its line");
	expect(!bound->command || bw_session_knows(bound->command, NULL), "which names a command");
	bw_keys_left(keymap, name, left);
	expect(!*left, "it is left to nothing else");
	for (int k = 0; k < i; k++)
		expect(strcmp(keymap->list[k].key, bound->key) != 0, "a key is bound once");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct bw_config config = {0};
	struct bw_error error = {0};
	struct bw_text text = {0};
	bw_text_append(&text, (const char *)bytes, length);
	if (bw_config_parse("rc", bw_text_get(&text), &config, &error)) {
		for (int i = 0; i < config.keymap.n; i++)
			expect_bound(&config.keymap, i);
		struct bw_device device = {.name = "A100", .sms = 108};
		struct bw_settings options = bw_settings_default(&device);
		if (!bw_config_apply(&config, "rc", &device, 1, &options, &error))
			expect(!strncmp(error.text, "rc:", 3), "what does not fit names its line");
	} else {
		expect(!strncmp(error.text, "rc:", 3) && error.kind == BW_ERROR_INPUT, "what is refused names its line");
		expect(!config.keymap.n && !config.n_defaults, "and leaves nothing");
	}
	bw_config_free(&config);
	bw_text_free(&text);
	return 0;
}
