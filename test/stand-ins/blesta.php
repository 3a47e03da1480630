<?php
/**
 * A stand-in for Blesta, written after its documentation for developers; it contains none of Blesta's code. It has what a
 * module sees: the classes that it extends, the calls of its methods in Blesta's order and with Blesta's arguments, what
 * happens to the fields that they return, and the module log.
 *
 *   php blesta.php <the module's sellthrough.php>
 *
 * Reads one command per line as JSON and answers each with one line, like the stand-in for WHMCS.
 */

declare(strict_types=1);

define('DS', DIRECTORY_SEPARATOR);

final class Configure
{
    public static function get(string $name): mixed
    {
        return $name === 'Blesta.company_id' ? 1 : null;
    }
}

final class Language
{
    public static string $current = 'en_us';
    private static array $texts = [];

    /** Loads the texts of both languages. `_` falls back to English. */
    public static function loadLang($file, $language = null, $folder = null): void
    {
        foreach (['en_us', 'de_de'] as $name) {
            $lang = [];
            include $folder . $name . DS . $file . '.php';
            self::$texts[$name] = $lang + (self::$texts[$name] ?? []);
        }
    }

    public static function _($key, $return = false, ...$words)
    {
        $text = vsprintf(self::$texts[self::$current][$key] ?? self::$texts['en_us'][$key] ?? '', $words);
        if ($return) {
            return $text;
        }
        echo $text;
    }
}

/** Checks the kinds of rules that modules use: isEmpty, matches, negate, if_set, and names such as "meta[x]". */
final class Input
{
    private array $rules = [];
    private array $errors = [];

    public function setRules(array $rules): void
    {
        $this->rules = $rules;
    }

    public function validates(&$vars): bool
    {
        $this->errors = [];
        foreach ($this->rules as $field => $rules) {
            $value = $vars;
            foreach (explode('[', str_replace(']', '', $field)) as $part) {
                $value = $value[$part] ?? null;
            }
            foreach ($rules as $name => $rule) {
                if (($rule['if_set'] ?? false) && $value === null) {
                    continue;
                }
                $passes = is_array($rule['rule'])
                    ? preg_match($rule['rule'][1], (string) $value) === 1
                    : ($value === null || $value === '');
                if ($passes === ($rule['negate'] ?? false)) {
                    $this->errors[$field][$name] = $rule['message'];
                }
            }
        }
        return $this->errors === [];
    }

    public function setErrors(array $errors): void
    {
        $this->errors = $errors;
    }

    public function errors()
    {
        return $this->errors === [] ? false : $this->errors;
    }
}

final class Html
{
    public function safe($text): string
    {
        return htmlspecialchars((string) $text, ENT_QUOTES);
    }
}

final class Form
{
    public function create($uri = null, $attributes = []): void
    {
        echo '<form method="post" action="', htmlspecialchars((string) $uri), '"><input type="hidden" name="_csrf_token" value="t">';
    }

    public function end(): void
    {
        echo '</form>';
    }

    public function fieldHidden($name, $value = null): void
    {
        echo '<input type="hidden" name="', $name, '" value="', htmlspecialchars((string) $value), '">';
    }

    public function fieldText($name, $value = null, $attributes = []): void
    {
        echo '<input type="text" name="', $name, '" value="', htmlspecialchars((string) $value), '">';
    }

    public function fieldPassword($name, $attributes = []): void
    {
        echo '<input type="password" name="', $name, '" value="', htmlspecialchars((string) ($attributes['value'] ?? '')), '">';
    }
}

final class Widget
{
    public function clear(): void
    {
    }

    public function setLinkButtons(array $buttons): void
    {
    }

    public function create($title = null, $attributes = []): void
    {
        echo '<section><h3>', htmlspecialchars((string) $title), '</h3>';
    }

    public function end(): void
    {
        echo '</section>';
    }
}

final class View
{
    public string $base_uri = '';
    public Html $Html;
    public Form $Form;
    public Widget $Widget;
    private array $values = [];

    public function __construct(private string $file, string $theme)
    {
        foreach (['Html', 'Form', 'Widget'] as $helper) {
            $this->$helper = new $helper();
        }
    }

    public function setDefaultView($path): void
    {
    }

    public function set($name, $value): void
    {
        $this->values[$name] = $value;
    }

    public function _($key, $return = false, ...$words)
    {
        return Language::_($key, $return, ...$words);
    }

    public function fetch(): string
    {
        extract($this->values);
        ob_start();
        include dirname(StandIn::$file) . '/views/default/' . $this->file . '.pdt';
        return ob_get_clean();
    }
}

final class Loader
{
    public static function loadComponents($object, array $names): void
    {
        self::give($object, $names);
    }

    public static function loadHelpers($object, array $names): void
    {
        self::give($object, $names);
    }

    public static function loadModels($object, array $names): void
    {
        foreach ($names as $name) {
            $object->$name = StandIn::$models[$name];
        }
    }

    private static function give($object, array $names): void
    {
        foreach ($names as $name) {
            $object->$name ??= new $name();
        }
    }
}

final class ModuleField
{
    public array $attached = [];

    public function __construct(public array $is)
    {
    }

    public function attach(ModuleField $field): void
    {
        $this->attached[] = $field;
    }
}

final class ModuleFields
{
    public array $fields = [];
    public string $html = '';

    public function setHtml($html): void
    {
        $this->html = $html;
    }

    public function setField(ModuleField $field): void
    {
        $this->fields[] = $field;
    }

    public function label($name, $for = null): ModuleField
    {
        return new ModuleField(['label' => $name]);
    }

    public function tooltip($text): ModuleField
    {
        return new ModuleField(['tooltip' => $text]);
    }

    public function fieldText($name, $value = null, $attributes = []): ModuleField
    {
        return new ModuleField(['name' => $name]);
    }

    public function fieldCheckbox($name, $value = null, $checked = false, $attributes = []): ModuleField
    {
        return new ModuleField(['name' => $name]);
    }

    public function fieldSelect($name, $options = [], $selected = null, $attributes = []): ModuleField
    {
        return new ModuleField(['name' => $name, 'options' => $options, 'selected' => $selected]);
    }
}

/** The class that every module extends. Components, models, helpers and the view are set as properties at run time. */
#[AllowDynamicProperties]
abstract class Module
{
    public string $base_uri = '/admin/';
    private ?stdClass $row = null;

    public function errors()
    {
        return $this->Input->errors();
    }

    public function setModuleRow(?stdClass $row): void
    {
        $this->row = $row;
    }

    final public function getModule(): stdClass
    {
        return (object) ['id' => 4, 'class' => 'sellthrough', 'rows' => array_values(StandIn::$rows)];
    }

    /** Returns the service's module row, or the one with this id. */
    final public function getModuleRow($id = null): ?stdClass
    {
        return $id === null ? $this->row : (StandIn::$rows[$id] ?? null);
    }

    final public function getModuleRows($group = null): array
    {
        return array_values(StandIn::$rows);
    }

    final public function serviceFieldsToObject(array $fields): stdClass
    {
        $object = new stdClass();
        foreach ($fields as $field) {
            $object->{$field->key} = $field->value;
        }
        return $object;
    }

    /** Stores the text as it is, so the module must mask secrets before. */
    final protected function log($url, $data = null, $direction = 'input', $success = false): void
    {
        StandIn::$log[] = "$direction $url " . (string) $data;
    }

    final protected function loadConfig($file): void
    {
        StandIn::$config = json_decode(file_get_contents($file), false, 8, JSON_THROW_ON_ERROR);
    }
}

final class Services
{
    private array $errors = [];

    public function get($id)
    {
        return isset(StandIn::$services[$id]) ? clone StandIn::$services[$id] : false;
    }

    public function getList($client, $status, $page, array $order, $children, array $filters): array
    {
        $matching = array_filter(StandIn::$services, static fn (stdClass $one): bool => $one->status === $status);
        return array_slice(array_values($matching), 2 * ($page - 1), 2);
    }

    public function editField($id, array $vars): void
    {
        StandIn::setFields(StandIn::$services[$id], [$vars]);
    }

    public function edit($id, array $vars, $bypass_module = false): void
    {
        if (!$bypass_module) {
            throw new LogicException('The module would be asked again.');
        }
        foreach (['date_renews', 'status'] as $field) {
            StandIn::$services[$id]->$field = $vars[$field] ?? StandIn::$services[$id]->$field;
        }
    }

    public function errors()
    {
        return $this->errors;
    }
}

final class Packages
{
    public function get($id)
    {
        return StandIn::$packages[$id] ?? false;
    }
}

final class Clients
{
    public function get($id, $settings = true)
    {
        return StandIn::$clients[$id] ?? false;
    }
}

final class CronTasks
{
    public array $tasks = [];
    public array $runs = [];

    public function add(array $task): ?int
    {
        if (isset($this->tasks[$task['key']])) {
            return null;
        }
        $this->tasks[$task['key']] = (object) ($task + ['id' => count($this->tasks) + 1]);
        return $this->tasks[$task['key']]->id;
    }

    public function getByKey($key, $dir, $type)
    {
        return $this->tasks[$key] ?? false;
    }

    public function addTaskRun($id, array $vars): void
    {
        $this->runs[$id] = $vars;
    }

    public function getTaskRunByKey($key, $dir, $system, $type)
    {
        $id = $this->tasks[$key]->id ?? 0;
        return isset($this->runs[$id]) ? (object) ['task_run_id' => $id] : false;
    }

    public function deleteTaskRun($id): void
    {
        unset($this->runs[$id]);
    }

    public function deleteTask($id, $type, $dir): void
    {
        $this->tasks = array_filter($this->tasks, static fn (stdClass $task): bool => $task->id !== $id);
    }
}

final class StandIn
{
    public static string $file;
    public static ?stdClass $config = null;
    public static array $models = [];
    public static array $rows = [];
    public static array $packages = [];
    public static array $clients = [];
    public static array $services = [];
    public static array $log = [];

    public function answer(array $command): mixed
    {
        return match ($command['do']) {
            'language' => Language::$current = $command['language'],
            'install' => $this->install(),
            'uninstall' => $this->uninstall(),
            'row' => $this->addRow($command),
            'manage' => $this->module()->manageModule($this->module()->getModule(), $command['vars']),
            'add row page' => $this->module()->manageAddRow($command['vars']),
            'edit row page' => $this->editRowPage($command),
            'package fields' => $this->packageFields($command),
            'package' => $this->addPackage($command),
            'client' => self::$clients[$command['id']] = (object) $command['client'],
            'service' => $this->order($command),
            'add at once' => $this->addAtOnce($command),
            'activate' => $this->activate($command),
            'renew' => $this->onService($command, 'renewService', null),
            'suspend' => $this->onService($command, 'suspendService', 'suspended'),
            'unsuspend' => $this->onService($command, 'unsuspendService', 'active'),
            'cancel' => $this->onService($command, 'cancelService', 'canceled'),
            'change' => $this->change($command),
            'set' => self::$services[$command['service']]->{$command['field']} = $command['value'],
            'tab' => $this->tab($command),
            'cron' => $this->module()->cron($command['key']),
        };
    }

    public function view(?int $id): ?array
    {
        $service = self::$services[$id ?? 0] ?? null;
        if ($service === null) {
            return null;
        }
        return [
            'status' => $service->status,
            'due' => substr((string) $service->date_renews, 0, 10),
            'username' => '',
            'fields' => array_column($service->fields, 'value', 'key'),
        ];
    }

    public function written(): array
    {
        $log = self::$log;
        self::$log = [];
        return ['log' => $log, 'activity' => []];
    }

    public static function setFields(stdClass $service, array $fields): void
    {
        $kept = array_column($service->fields, null, 'key');
        foreach ($fields as $field) {
            $kept[$field['key']] = (object) ($field + ['encrypted' => 0]);
        }
        $service->fields = array_values($kept);
    }

    /** Makes a new object for each request, as Blesta does. */
    private function module(?stdClass $row = null): Module
    {
        $module = new Sellthrough();
        $module->setModuleRow($row);
        return $module;
    }

    private function install(): array
    {
        $module = $this->module();
        $module->install();
        return [self::$config->version, Language::_(self::$config->name, true), self::$models['CronTasks']->tasks, self::$models['CronTasks']->runs];
    }

    private function uninstall(): array
    {
        $this->module()->uninstall(4, true);
        return [self::$models['CronTasks']->tasks, self::$models['CronTasks']->runs];
    }

    private function addRow(array $command): mixed
    {
        $module = $this->module();
        $vars = $command['vars'];
        $known = self::$rows[$command['id']] ?? null;
        $meta = $known === null ? $module->addModuleRow($vars) : $module->editModuleRow($known, $vars);
        if ($module->errors()) {
            return $module->errors();
        }
        self::$rows[$command['id']] = (object) ['id' => $command['id'], 'meta' => (object) array_column($meta, 'value', 'key')];
        return array_column(array_filter($meta, static fn (array $one): bool => $one['encrypted'] === 1), 'key');
    }

    private function editRowPage(array $command): string
    {
        $vars = [];
        return $this->module()->manageEditRow(self::$rows[$command['id']], $vars);
    }

    private function packageFields(array $command): array
    {
        $vars = (object) ['module_row' => $command['row'], 'module_group' => '', 'meta' => $command['meta'] ?? []];
        $fields = $this->module()->getPackageFields($vars);
        $shown = [];
        foreach ($fields->fields as $label) {
            $shown[$label->attached[0]->is['name']] = $label->attached[0]->is['options'] ?? $label->is['label'];
        }
        return ['fields' => $shown, 'html' => $fields->html];
    }

    private function addPackage(array $command): mixed
    {
        $module = $this->module();
        $vars = ['meta' => $command['meta']];
        $meta = $module->addPackage($vars);
        if ($module->errors()) {
            return $module->errors();
        }
        self::$packages[$command['id']] = (object) [
            'id' => $command['id'],
            'module_row' => $command['row'],
            'meta' => (object) array_column($meta, 'value', 'key'),
            'pricing' => array_map(
                static fn (array $one): stdClass => (object) ['id' => $one[0], 'package_id' => $command['id'], 'term' => $one[1], 'period' => $one[2]],
                $command['pricing'] ?? [[10 * $command['id'] + 1, '1', 'month'], [10 * $command['id'] + 2, '3', 'month'], [10 * $command['id'] + 3, '1', 'year'], [10 * $command['id'] + 4, '2', 'week']]
            ),
        ];
        return 'added';
    }

    /** A client's order form: the service stays pending until it is paid for. */
    private function order(array $command): mixed
    {
        $package = self::$packages[$command['package']];
        $row = self::$rows[$package->module_row];
        $pricing = $package->pricing[$command['pricing'] ?? 0];
        $module = $this->module($row);
        $vars = ['client_id' => $command['client'], 'pricing_id' => $pricing->id, 'use_module' => 'false', 'status' => 'pending'];
        $fields = $module->addService($package, $vars, null, null, 'pending');
        if ($module->errors()) {
            return $module->errors();
        }
        $service = (object) [
            'id' => $command['id'],
            'client_id' => $command['client'],
            'status' => 'pending',
            'date_renews' => $command['due'],
            'suspension_reason' => null,
            'module_row_id' => $row->id,
            'package_pricing' => $pricing,
            'package' => $package,
            'fields' => [],
        ];
        self::$services[$command['id']] = $service;
        self::setFields($service, $fields);
        return 'added';
    }

    /** Staff add an active service. Blesta calls the module before the service has a number. */
    private function addAtOnce(array $command): mixed
    {
        $package = self::$packages[$command['package']];
        $module = $this->module(self::$rows[$package->module_row]);
        $vars = ['client_id' => $command['client'], 'pricing_id' => $package->pricing[0]->id, 'use_module' => 'true', 'status' => 'active'];
        $module->addService($package, $vars, null, null, 'active');
        return $module->errors();
    }

    /** Activates a pending service after it was paid for. */
    private function activate(array $command): mixed
    {
        $service = self::$services[$command['service']];
        $vars = ['client_id' => $service->client_id, 'pricing_id' => $service->package_pricing->id, 'use_module' => 'true', 'status' => 'active'];
        $vars += $command['without number'] ?? false ? array_column($service->fields, 'value', 'key') : ['service_id' => $service->id];
        $module = $this->module(self::$rows[$service->module_row_id]);
        return $this->keep($service, $module, $module->addService($service->package, $vars, null, null, 'active'), 'active');
    }

    private function onService(array $command, string $method, ?string $status): mixed
    {
        $service = self::$services[$command['service']];
        $service->suspension_reason = $command['reason'] ?? $service->suspension_reason;
        $module = $this->module(self::$rows[$service->module_row_id]);
        return $this->keep($service, $module, $module->$method($service->package, clone $service), $status);
    }

    /** Calls the module first. If it succeeds, the service gets the new package and the chosen pricing. */
    private function change(array $command): mixed
    {
        $service = self::$services[$command['service']];
        $to = self::$packages[$command['package']];
        $module = $this->module(self::$rows[$service->module_row_id]);
        $answer = $this->keep($service, $module, $module->changeServicePackage($service->package, $to, clone $service), null);
        if ($answer === 'success') {
            $service->package = $to;
            $service->package_pricing = $to->pricing[0];
        }
        return $answer;
    }

    /** With errors, the service stays as it is. Otherwise null keeps its fields, and an array replaces them. */
    private function keep(stdClass $service, Module $module, ?array $fields, ?string $status): mixed
    {
        if ($module->errors()) {
            return $module->errors();
        }
        self::setFields($service, $fields ?? []);
        $service->status = $status ?? $service->status;
        return 'success';
    }

    private function tab(array $command): array
    {
        $service = self::$services[$command['service']];
        $module = $this->module(self::$rows[$service->module_row_id]);
        $list = $command['for'] === 'client' ? $module->getClientTabs($service->package) : $module->getAdminTabs($service->package);
        $method = array_key_first($list);
        $html = $module->$method($service->package, clone $service, [], $command['post'] ?? null, null);
        $info = $command['for'] === 'client' ? 'getClientServiceInfo' : 'getAdminServiceInfo';
        return ['title' => $list[$method], 'html' => $html, 'info' => $module->$info(clone $service, $service->package), 'errors' => $module->errors()];
    }
}

StandIn::$file = $argv[1];
foreach (['Services', 'Packages', 'Clients', 'CronTasks'] as $model) {
    StandIn::$models[$model] = new $model();
}
require StandIn::$file;

$stand = new StandIn();
while (($line = fgets(STDIN)) !== false) {
    $command = json_decode($line, true, 32, JSON_THROW_ON_ERROR);
    try {
        $answer = ['answer' => $stand->answer($command)];
    } catch (Throwable $thrown) {
        $answer = ['thrown' => (string) $thrown];
    }
    $answer['service'] = $stand->view($command['service'] ?? null);
    echo json_encode($answer + $stand->written(), JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
