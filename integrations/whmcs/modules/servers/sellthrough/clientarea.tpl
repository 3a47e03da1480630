{* The customer's plan on the page of the service. Everything is escaped here: names come from elsewhere. *}
<div class="panel panel-default card mb-3" id="sellthrough-plan">
    <div class="panel-heading card-header">
        <h3 class="panel-title card-title m-0">{$title|escape:'html'}</h3>
    </div>
    <div class="panel-body card-body">
        {if $testMode}<div class="alert alert-warning" role="status">{$testMode|escape:'html'}</div>{/if}
        {if $message}<p>{$message|escape:'html'}</p>{/if}
        {foreach $rows as $row}
        <div class="row">
            <div class="col-sm-5 text-right"><strong>{$row.label|escape:'html'}</strong></div>
            <div class="col-sm-7 text-left">{$row.value|escape:'html'}</div>
        </div>
        {/foreach}
        {if $loginLabel}
        <p class="mt-3">
            <a class="btn btn-primary" href="clientarea.php?action=productdetails&amp;id={$serviceId|escape:'url'}&amp;dosinglesignon=1" target="_blank" rel="noopener noreferrer">{$loginLabel|escape:'html'}</a>
        </p>
        {/if}
    </div>
</div>
